//go:build race

package poller_test

// With the race detector, the tests of large groups use fewer operations, because each step takes
// about ten times as long.
const (
	throttled  = 500
	fleetSize  = 2_000
	neighbours = "84,200"
)
