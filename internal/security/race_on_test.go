//go:build race

package security

// everyForm is false with the race detector, which makes each step ten times as slow. Further forms
// of a URL would not find further races.
const everyForm = false
