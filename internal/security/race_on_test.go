//go:build race

package security

// everyForm is false with the race detector, which makes each step ten times as slow.
const everyForm = false
