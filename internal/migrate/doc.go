// Package migrate holds the code that the migration guides in docs quote. It has several clients
// for the same service, which use azcore, hashicorp/go-azure-sdk or this module. The clients form
// pairs: both clients of a pair do the same thing, one before the move and one after it. The tests
// of this package run both sides of each pair against the same service, compare what they send, and
// check the tables in the guides against the outcomes.
//
// docs/from-azcore.md quotes azcore/before and azcore/after, docs/from-go-azure-sdk.md quotes
// goazuresdk/before and goazuresdk/after, and docs/watch.md quotes watch/before and watch/after.
package migrate
