// Package house tests the repository itself. Its tests check what no compiler or linter checks: the
// code and the links in the documentation, which packages each package imports, the licenses of the
// dependencies, and the length and density of the code. With -update, they also write the table of
// packages into CONTRIBUTING.md:
//
//	go test ./internal/house -update
//
// The tests of other packages use [EachDefault] to check documented defaults.
package house
