// Package check wraps a strategy so that it also reads a second document, usually the resource
// itself. Use [Confirm] for services that report success too early, and [CrossCheck] for services
// that lose the status of an operation.
//
// Package [github.com/lro-go/lro/poller] has the same two functions. There, a nil strategy means
// the default, arm.Auto; here, a strategy is required.
//
// The package decides how a check confirms or replaces a status, and interprets a resource's
// provisioningState. It depends on neither the wrapped strategy's protocol nor the schedule of the
// reads. It keeps its state in the Memo of each Move, next to the wrapped strategy's memo.
package check
