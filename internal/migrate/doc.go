// Package migrate holds the code that the migration guides in docs quote. Each conversion in a guide
// has two sides, one before the move and one after it. The tests of this package run both sides
// against the same service, compare what they send, and check the tables in the guides.
//
// docs/from-azcore.md quotes azcore/before and azcore/after, docs/from-go-azure-sdk.md quotes
// goazuresdk/before and goazuresdk/after, and docs/watch.md quotes watch/before and watch/after.
package migrate
