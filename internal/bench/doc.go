// Package bench measures this module and its peers in one run.
//
// It is a separate module, so that the main module does not require the peers. It has only tests.
// README.md has the commands and their results. Package features compares how the modules behave
// with the same service.
package bench
