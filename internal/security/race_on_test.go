//go:build race

package security

// everyForm is false with the race detector, which makes the tests ten times slower.
const everyForm = false
