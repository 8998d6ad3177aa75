//go:build race

package poller_test

// The race detector slows each step down about ten times, and finds as much with fewer
// operations.
const (
	throttled  = 500
	fleetSize  = 2_000
	neighbours = "84,200"
)
