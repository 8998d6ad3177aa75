//go:build race

package transport_test

// busiest is the highest rate of a service in these tests, in requests per second. It is lower with
// the race detector, which makes the tests about ten times slower and finds just as many races with
// fewer requests.
const busiest = 1
