//go:build race

package transport_test

// busiest is the highest rate of a service in these tests, in requests per second. It is low,
// because the race detector makes the tests about ten times slower.
const busiest = 1
