// Package house has no code. Its tests measure the packages of this module by the
// project's limits (files of 400 lines at most, functions of 60, every exported name
// documented), and write what they find into CONTRIBUTING.md:
//
//	go test ./internal/house -update
package house
