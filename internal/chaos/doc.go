// Package chaos follows a thousand operations over a network that goes wrong in
// every way that can be thought of, and in processes that are killed.
//
// It has only tests; README.md says what they do and how to run more of them.
package chaos
