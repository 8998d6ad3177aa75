//go:build !race

package bench

// raced says that the race detector is at work.
const raced = false
