//go:build race

package security

// The race detector makes each step ten times as dear, and what it looks for does not
// depend on the form.
const everyForm = false
