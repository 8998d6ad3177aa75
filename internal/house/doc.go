// Package house contains tests of the repository, and [EachDefault] for the tests of other packages. Its
// tests check what no compiler or linter checks: the code and the links in the documentation, which
// packages each package imports, the licenses of the dependencies, and the length and density of the
// code. They also write the table of packages into CONTRIBUTING.md:
//
//	go test ./internal/house -update
package house
