// Package house contains tests, and [EachDefault] for the tests of other packages. The tests check
// the packages of this module against the project's limits, such as 400 lines per file, 80 lines per
// function, a comment on every exported name, and code that can be read aloud. They also write the
// drawing of the rooms and the table of sizes into CONTRIBUTING.md:
//
//	go test ./internal/house -update
package house
