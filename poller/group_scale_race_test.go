//go:build race

package poller_test

// Tests of large groups use fewer operations under the race detector, because each step takes about
// ten times as long.
const (
	throttled = 500
	fleetSize = 2_000
	neighbors = "84,200"
)
