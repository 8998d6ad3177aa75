//go:build race

package transport_test

// busiest is the highest rate of a service in these tests, in requests per second. It is low
// because the race detector slows the tests down about ten times.
const busiest = 1
