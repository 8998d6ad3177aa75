// Package supply checks what is written about the module's supply chain: LICENSES.md against
// the modules that it is built on, and the workflow of the hosted runner against go.mod.
//
// It contains only tests.
package supply
