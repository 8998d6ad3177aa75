// Package lrotf follows long-running operations in resources of terraform-plugin-framework.
// After an apply that was interrupted or timed out, the next plan shows the operation, and the next
// apply waits for it instead of starting another.
//
// Embed a [Resource] in the type of a resource. It implements Create, Read, Update, Delete and
// ModifyPlan; the provider supplies the requests:
//
//	r.Resource = lrotf.Resource[diskModel, disk]{
//		Name: func(m *diskModel) string { return "disk " + m.Name.ValueString() },
//		BeginCreate: func(ctx context.Context, plan *diskModel) (*poller.Poller[disk], error) {
//			return r.client.put(ctx, plan) // calls poller.Begin
//		},
//		BeginDelete: …,
//		Client: …, // returns the client and the options of poller.Begin
//		Get: …,    // calls lrotf.Get
//		Set: …,    // copies a disk into a diskModel
//	}
//
// The schema needs a computed string "provisioning_state", and usually has timeouts.BlockAll of
// terraform-plugin-framework-timeouts. The Example has all the parts, and examples/terraform in the
// repository is a complete provider. Package lrotftest stands in for Terraform in tests.
//
// # During the wait
//
// Each Create, Update and Delete waits as long as the timeouts block allows. The provider's log,
// which TF_LOG_PROVIDER=INFO shows, has a line for each status, with resource, state, percent and
// next_poll, and with error if the status could not be read.
//
// # When the wait ends early
//
// Ctrl-C, SIGTERM and a timeout end the wait, but not the operation. With Resource.Grace, the wait
// continues for that long after Ctrl-C or SIGTERM. Then the provider stores the resume token in
// private state, which a plan does not show and a configuration cannot read, and returns what it
// knows about the resource. The next runs resume the operation:
//
//   - Read reads the status of the operation once, if a read is due, and its result if the operation
//     has ended. A plan does not wait.
//   - ModifyPlan makes the plan an update, so that Terraform calls Update.
//   - Update waits for the operation. It sends a request only if the resource then differs from the
//     plan.
//   - Delete waits for a deletion. It first cancels any other operation, if the service can.
//
// [Resource] describes what is lost if the provider is killed, and what differs for operations
// without a token. [Resource.Create] explains why an unfinished creation is a warning.
//
// # Diagnostics
//
// A diagnostic shows the service's code, message, target, details and request ID, next to the
// attribute that the target names. For data sources, use [Get] and [Diagnose].
package lrotf
