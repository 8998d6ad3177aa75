// Package bench measures lro and its peers in one run.
//
// It is a separate module, so that the main module does not require the peers. It has only tests.
// README.md has the commands and their results. Package features compares how the libraries behave
// with the same service.
package bench
