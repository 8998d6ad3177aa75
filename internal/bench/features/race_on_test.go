//go:build race

package features

// raced says that the race detector is at work.
const raced = true
