//go:build race

package migrate

// raced reports whether the race detector is enabled.
const raced = true
