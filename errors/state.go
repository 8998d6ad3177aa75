package errors

// A State is the normalized status of an operation. Package poller defines the constants, and
// [github.com/lro-go/lro/poller/strategy.State] explains how a service's word becomes a State.
type State string

// Terminal reports whether an operation in this state has ended.
func (s State) Terminal() bool {
	switch s {
	case "Succeeded", "Failed", "Canceled":
		return true
	}
	return false
}
