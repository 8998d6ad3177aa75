//go:build !race

package poller_test

// These constants set how many operations the tests of large groups use.
const (
	throttled = 10_000
	fleetSize = 100_000
	neighbors = "84,660,2020"
)
