//go:build race

package features

// raced reports whether the race detector is enabled.
const raced = true
