// Package lrotf follows the long-running operations of resources in a terraform-plugin-framework
// provider. If an apply is interrupted or times out, the next plan shows the operation, and the
// next apply waits for it instead of starting another.
//
// Embed a [Resource] in the type of your resource. It implements Create, Read, Update, Delete and
// ModifyPlan. The provider supplies the requests:
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
// The schema needs a computed string attribute "provisioning_state", and usually has
// timeouts.BlockAll from terraform-plugin-framework-timeouts. The Example shows all the parts, and
// examples/terraform in the repository is a complete provider. Package lrotftest replaces Terraform
// in tests.
//
// # During the wait
//
// Create, Update and Delete wait as long as the timeouts block allows. Set TF_LOG_PROVIDER=INFO to
// see the provider's log. It has a line for each status, with the fields resource, state, percent
// and next_poll, and with the field error if the status could not be read.
//
// # When the wait ends early
//
// Ctrl-C, SIGTERM and a timeout end the wait, but not the operation. If Resource.Grace is set, the
// wait continues for that long after Ctrl-C or SIGTERM. The provider then stores the resume token
// in private state, which a plan does not show and a configuration cannot read, and returns the
// known attributes of the resource. The next runs resume the operation:
//
//   - Read reads the operation's status once, if a read is due, and the result if the operation has
//     ended. A plan therefore does not wait.
//   - ModifyPlan makes the plan an update, so that Terraform calls Update.
//   - Update waits for the operation, and then sends a request only if the resource differs from
//     the plan.
//   - Delete waits for a deletion in progress. It first cancels any other operation, if the service
//     can cancel it.
//
// The documentation of [Resource] explains what is lost if the provider is killed, and how
// operations without a token differ. [Resource.Create] explains why it returns only a warning for
// an unfinished creation.
//
// # Diagnostics
//
// A diagnostic shows the service's code, message, target, details and request ID, and Terraform
// shows it next to the attribute that the target names. For data sources, use [Get] and [Diagnose].
package lrotf
