//go:build race

package security

// The race detector makes each step ten times as slow, and races do not depend on the form.
const everyForm = false
