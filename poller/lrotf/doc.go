// Package lrotf follows long-running operations in resources of terraform-plugin-framework.
// An apply that is interrupted, or runs into its timeout, loses no operation and starts none
// twice: the next plan shows the operation, and the next apply waits for it.
//
// Embed a [Resource] in the type of a resource. It has Create, Read, Update, Delete and
// ModifyPlan; the provider writes the requests:
//
//	type diskResource struct {
//		lrotf.Resource[diskModel, disk]
//		client *client
//	}
//
//	func newDiskResource() resource.Resource {
//		r := &diskResource{}
//		r.Resource = lrotf.Resource[diskModel, disk]{
//			Name: func(m *diskModel) string { return "disk " + m.Name.ValueString() },
//			BeginCreate: func(ctx context.Context, plan *diskModel) (*poller.Poller[disk], error) {
//				return r.client.put(ctx, plan) // calls poller.Begin
//			},
//			BeginDelete: …,
//			Resume: …, // calls poller.Resume
//			Get: …,    // calls lrotf.Get
//			Set: …,    // copies a disk into a diskModel
//		}
//		return r
//	}
//
// The schema needs a computed string "provisioning_state", and usually has
// timeouts.BlockAll of terraform-plugin-framework-timeouts. The Example has all of it.
// examples/terraform in the repository is a complete provider, tested with a real tofu.
// Package lrotftest plays Terraform's part, so that a test of three days takes no time.
//
// # While it waits
//
// Each Create, Update and Delete waits as long as the timeouts block allows. The provider's
// log, which TF_LOG_PROVIDER=INFO shows, has a line for each status: resource, state, percent
// and next_poll, and error if the status could not be read.
//
// # When the wait ends early
//
// Ctrl-C, SIGTERM and a timeout end the wait, and never the operation. A wait that Resource.Grace
// prolongs continues that long after Ctrl-C or SIGTERM. Then the resume token goes into private
// state, which a plan does not show and a configuration cannot read, and the call returns what is
// known. From there the operation is resumed:
//
//   - Read asks it once how far it is, and takes its result if it has ended. A plan does not wait.
//   - ModifyPlan makes the plan an update, with -refresh=false too, because otherwise
//     Terraform would not call Update.
//   - Update waits for it, and sends a request only if the resource is then not as planned.
//   - Delete waits for a deletion. It cancels anything else first, if the service can.
//
// The request that starts an operation is not cut short, because without its response the
// operation cannot be followed. Terraform waits for the provider after the first Ctrl-C. After a
// second one, after kill -9, and when a CI system loses patience, the token is lost, and with a
// creation the state is lost too. Create then finds the resource at the next apply, does not
// take it over, and says how to import it; the import resumes the operation. So keep the
// timeouts, and the grace period, below the time that the build has.
//
// A token is in the state file. It holds no credentials, but its URLs may be signed, so
// protect it as the rest of the state. A token that was tampered with leads nowhere, because only
// poller.Options.Origins are read.
//
// # Taint
//
// After an error from Create, Terraform marks the resource as tainted: the next apply destroys
// it and creates it again, and nothing that a provider does can remove the mark. Therefore a
// creation that is not finished is a warning, and only one that failed is an error. Errors
// from Update and Delete taint nothing, and there everything that is not finished is an error.
//
// A warning does not stop what depends on the resource. After Ctrl-C Terraform starts nothing
// new anyway, but after a timeout it continues with an unfinished resource. If that is
// wrong, add a condition to the configuration. It fails after the state was written, and
// taints nothing:
//
//	lifecycle {
//	  postcondition {
//	    condition     = self.provisioning_state == "Succeeded"
//	    error_message = "It is not finished; apply again."
//	  }
//	}
//
// # Without a token: Watch
//
// A Poller from poller.Watch, such as one over a typed client, has no token. Private state then
// holds only that something is in progress, and the next run calls Resource.Get and follows the
// Poller that it returns. The consequences:
//
//   - If the operation ends between two runs, its error is lost: only the resource shows that
//     it failed.
//   - A resource that does not exist yet stays in the state, because its creation may not be
//     visible. The next apply creates it if it still does not exist then.
//   - The pause that the service asked for, and the time spent on failed reads, start over.
//   - A creation that is destroyed can be canceled only if the Poller from Get can.
//   - A deletion is requested again, so the service must accept that.
//
// # Diagnostics
//
// An error is shown with the service's code, message, target, details and request id, at the
// attribute that the target names; see [Diagnose], which does the same for data sources.
// [Get] reads a resource for both.
package lrotf
