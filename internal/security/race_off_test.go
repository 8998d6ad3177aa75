//go:build !race

package security

// everyForm makes the tests try every form of URL with transport.NewClient, and the first form of
// each class with other clients. Without it, they try only the first form of each class, and skip
// the classes of broken URLs.
const everyForm = true
