// Package trace holds what a check has observed of one long-running operation: every request about the
// operation, in order, with its response.
//
// The exchanges of an Operation begin with the reads of the resource before the operation. Then come the
// request that started the operation (Operation.First), the reads while it was in progress, and the reads
// after its end. An Exchange says why a request was sent (Role), when (Phase), and over which connection
// (Reader).
//
// The package selects exchanges and decodes their JSON. It contains no rules, and sends nothing.
package trace
