// Package acceptance tests the provider with a real tofu. Some tests use terraform-plugin-testing.
// Others run tofu as a process and interrupt it, kill it, or let it time out.
//
// The package has only tests, which need the binary that ../../install builds. Without the binary,
// they are skipped, or fail if LRO_TERRAFORM is "required" or LRO_TOFU is set.
package acceptance
