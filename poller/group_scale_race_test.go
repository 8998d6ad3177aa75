//go:build race

package poller_test

// The race detector makes each step about ten times as dear; that there are very
// many operations is not what it is to find out about.
const (
	throttled = 500
	fleetSize = 2_000
)
