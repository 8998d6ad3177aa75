// Package migrate holds the code of the migration guides in docs: clients of one service on azcore,
// on hashicorp/go-azure-sdk and on this module, in pairs that do the same thing before and after
// the move. The tests of this package run both sides of each pair against the same service, compare
// what they send, and check the tables in the guides against the outcomes.
//
// docs/from-azcore.md quotes azcore/before and azcore/after, docs/from-go-azure-sdk.md quotes
// goazuresdk/before and goazuresdk/after, and docs/watch.md quotes watch/before and watch/after.
package migrate
