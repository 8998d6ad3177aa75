//go:build !race

package security

// everyForm reports whether the tests try every form in every way with transport.NewClient, and
// broken URLs with the other clients and other kinds of waits.
const everyForm = true
