// Package bench measures this module beside its peers, in one run, and plays them
// the conversations of the table of features in the root's README.md.
//
// It is a module of its own, so that the peers are no requirement of ours. It
// has only tests; README.md has the commands and what they said. The features are
// the rows in peers_*_test.go, each with the test that it says the outcome of.
package bench
