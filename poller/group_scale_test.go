//go:build !race

package poller_test

// The numbers of operations in the tests of large groups.
const (
	throttled  = 10_000
	fleetSize  = 100_000
	neighbours = "84,660,2020"
)
