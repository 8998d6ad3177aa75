//go:build !race

package security

// If everyForm is true, the tests try every form of URL with transport.NewClient, and the first
// form of each class with other clients. Otherwise, they try only the first form of each class, and
// leave out the classes of broken URLs.
const everyForm = true
