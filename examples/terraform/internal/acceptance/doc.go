// Package acceptance runs the provider with a real tofu: through terraform-plugin-testing, and as a
// process that is interrupted, times out and is killed.
//
// It has only tests. They need the binary that ../../install builds. Without it they are skipped, or
// fail if LRO_TERRAFORM=required is set.
package acceptance
