// Package acceptance tests the provider with a real tofu. Some tests use terraform-plugin-testing.
// Others run tofu as a process and interrupt it, kill it, or let it time out.
//
// The package has only tests. They need the binary that ../../install builds. Without the binary,
// the tests are skipped. If LRO_TERRAFORM is "required" or LRO_TOFU is set, they fail instead.
package acceptance
