//go:build !race

package security

// If everyForm is set, the tests with transport.NewClient try every form of URL in every way. The
// shorter tests, which use other clients or other ways to wait, then include broken URLs, too.
const everyForm = true
