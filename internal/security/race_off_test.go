//go:build !race

package security

// everyForm reports whether the tests with transport.NewClient try every form of URL in every
// way, and whether the shorter tests, with other clients or other ways to wait, include broken
// URLs.
const everyForm = true
