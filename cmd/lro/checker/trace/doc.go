// Package trace records what a check observes of a long-running operation: every request about the
// operation, in order, with its response.
//
// An Operation's exchanges begin with the reads of the resource before the operation. Then come the
// request that started the operation (Operation.First), the requests while it was in progress, and
// the requests after its end. An Exchange also records why its request was sent (Role), when
// (Phase), and over which connection (Reader).
//
// The package selects exchanges and decodes their JSON. It contains no rules and sends nothing.
package trace
