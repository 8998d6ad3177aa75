// Package house contains only tests. They check the packages of this module against the project's
// limits (400 lines per file, 80 lines per function, every exported name documented), and write the
// figures into CONTRIBUTING.md:
//
//	go test ./internal/house -update
package house
