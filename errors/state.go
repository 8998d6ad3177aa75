package errors

// A State is the meaning of the word that a service uses for the status of an operation. Package
// poller defines the constants, and [github.com/lro-go/lro/poller/strategy.State] explains how a
// word becomes a State.
type State string

// Terminal reports whether an operation in this state has ended.
func (s State) Terminal() bool {
	switch s {
	case "Succeeded", "Failed", "Canceled":
		return true
	}
	return false
}
