// Package supply checks the statements about the module's supply chain: LICENSES.md against the
// modules that it depends on, and the CI workflow against go.mod.
//
// It contains only tests.
package supply
