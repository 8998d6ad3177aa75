//go:build !race

package poller_test

// How many operations the tests of large groups have.
const (
	throttled  = 10_000
	fleetSize  = 100_000
	neighbours = "84,660,2020"
)
