// Package chaos follows a thousand operations over a network with many kinds of faults. It also
// follows operations in processes that it kills.
//
// The processes that the tests kill run this package's test binary, so the tests have a package of
// their own, with a TestMain. README.md describes the tests and how to run them with more
// operations.
package chaos
