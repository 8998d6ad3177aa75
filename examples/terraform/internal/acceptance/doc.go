// Package acceptance runs the provider with a real tofu, as its users do: once
// through terraform-plugin-testing, and once as a process that gets Ctrl-C, runs
// into its timeouts and is killed.
//
// It has only tests. Without the binary that ../../install builds they are skipped;
// with LRO_TERRAFORM=required they fail instead.
package acceptance
