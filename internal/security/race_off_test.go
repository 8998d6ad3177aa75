//go:build !race

package security

// everyForm makes the tests with transport.NewClient try every form of URL. It also adds broken
// URLs to the shorter tests, which use other clients or other ways to wait.
const everyForm = true
