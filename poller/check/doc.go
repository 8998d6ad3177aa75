// Package check wraps a strategy in a second opinion, usually a read of the resource itself:
// [Confirm] for services that report success too early, and [CrossCheck] for services that lose the
// status of an operation.
//
// Package [github.com/lro-go/lro/poller] has both functions too. There, a nil strategy means the
// default, arm.ARM; here, a strategy is required.
//
// The package knows a strategy, a check, and the provisioningState of a resource. It does not know
// the protocol of the strategy that it wraps, when a URL is read, or how failed reads are counted.
// What it remembers is in the memo of its moves, which contains the memo of the inner strategy.
package check
