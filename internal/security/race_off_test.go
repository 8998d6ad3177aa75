//go:build !race

package security

// everyForm makes the tests with transport.NewClient try every form of URL. The other tests try one
// form of each class. With everyForm, these include broken URLs.
const everyForm = true
