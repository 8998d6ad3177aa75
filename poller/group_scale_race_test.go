//go:build race

package poller_test

// The race detector makes each step about ten times slower, and finds just as many races with
// fewer operations.
const (
	throttled  = 500
	fleetSize  = 2_000
	neighbours = "84,200"
)
