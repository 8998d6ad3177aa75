//go:build race

package transport_test

// busiest is lower with the race detector, which makes each step about ten times slower and finds
// just as many races with fewer requests.
const busiest = 1
