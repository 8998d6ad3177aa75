// Package check wraps a strategy so that it reads a second document in addition to the status,
// usually the resource itself. Use [Confirm] for services that report success too early, and
// [CrossCheck] for services that lose the status of an operation.
//
// Package [github.com/lro-go/lro/poller] has the same two functions. There, a nil strategy means
// the default, arm.Auto; here, a strategy is required.
//
// The package decides how a check confirms or replaces a status, and interprets the
// provisioningState of a resource. It depends neither on the protocol of the wrapped strategy nor
// on the schedule of the reads. Its state is in the Memo of each Move, next to the memo of the
// wrapped strategy.
package check
