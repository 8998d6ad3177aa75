//go:build race

package security

// everyForm is false with the race detector, which makes each step ten times as slow. Whether
// there is a race does not depend on the form of the URL.
const everyForm = false
