// Package supply holds what this module is made of to what is written about it:
// LICENSES.md to the modules that it is built on, and the workflow of the hosted
// runner to go.mod.
//
// It has only tests.
package supply
