// Package supply checks what the repository says about the module's supply chain. It compares
// LICENSES.md with the modules that this module depends on, and the CI workflow with go.mod.
//
// It contains only tests.
package supply
