// Package acceptance runs the provider with a real tofu: through terraform-plugin-testing, and as a
// process that is interrupted, times out and is killed.
//
// The package has only tests. They need the binary that ../../install builds. Without the binary,
// they are skipped, or fail if LRO_TERRAFORM is "required".
package acceptance
