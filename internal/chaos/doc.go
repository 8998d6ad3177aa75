// Package chaos follows a thousand operations over a network with many kinds of faults. It also
// follows operations in processes that it kills.
//
// The tests have their own package, because the processes that they kill run the same test binary.
// README.md describes the tests and how to run them with more operations.
package chaos
