// Package bench measures this module beside its peers, in one run.
//
// It is a module of its own, so that the peers are no requirement of ours. It
// has only tests; README.md has the commands and what they said. What each does with
// the same service is in package features.
package bench
