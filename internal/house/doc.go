// Package house contains tests, and [EachDefault] for the tests of other packages. The tests check
// what no compiler or linter checks: the code and the links of the documentation, which packages each
// package imports, the licenses of the modules that we depend on, and whether code can be read aloud.
// They also write the table of packages into CONTRIBUTING.md:
//
//	go test ./internal/house -update
package house
