// Package migrate contains the code that the migration guides in docs quote. Each conversion in a
// guide has two sides, the code before and after a move to lro. The tests run both sides against
// the same service and compare their requests. They also check the tables in the guides.
//
// docs/from-azcore.md quotes azcore/before and azcore/after, docs/from-go-azure-sdk.md quotes
// goazuresdk/before and goazuresdk/after, and docs/watch.md quotes watch/before and watch/after.
package migrate
