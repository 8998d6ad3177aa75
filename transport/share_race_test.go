//go:build race

package transport_test

// The race detector makes each step about ten times slower, and finds just as many races with fewer
// requests.
const busiest = 1
