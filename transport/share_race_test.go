//go:build race

package transport_test

// busiest is the highest rate of a service in TestProcessesShareLimit, in requests per second. It
// is low because the race detector makes the test about ten times slower.
const busiest = 1
