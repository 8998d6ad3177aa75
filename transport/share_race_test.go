//go:build race

package transport_test

// busiest is the highest rate of a service that the tests try, in requests per second. It is lower
// with the race detector, which makes each step about ten times slower and finds just as many races
// with fewer requests.
const busiest = 1
