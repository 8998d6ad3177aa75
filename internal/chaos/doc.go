// Package chaos follows a thousand operations over a network that causes many kinds of faults. It
// also follows operations in processes that it kills.
//
// The tests have their own package, because their binary also serves as the process that they kill.
// README.md describes the tests and how to run them with more operations.
package chaos
