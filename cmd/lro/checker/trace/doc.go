// Package trace holds the observations of one long-running operation: every request that was sent
// about it, in order, with its response.
//
// An Operation starts with the requests that were sent before it, continues with the request that
// started it (Operation.First) and the reads while it was in progress, and ends with the reads after
// its end. An Exchange says why it was sent (Role), when (Phase), and over which connection (Reader).
//
// The package knows how to select exchanges and how to read their JSON. It does not know what a
// specification demands, it sends nothing, and it decides nothing.
package trace
