// Package ibmcloud has the strategies of IBM Cloud, for [poller.Options].Strategy. Like
// any other strategy, they use only the exported API of package poller.
//
// Most callers need [Operation], for a service that follows the API handbook, or the
// preset for their service:
//
//	client := transport.NewClient(&transport.Options{Token: token, Policy: transport.IdempotentOnly})
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: ibmcloud.Operation{}})
//
// IBM Cloud does not ask clients to repeat a POST whose response was lost, and a service may
// then create two resources. The policy IdempotentOnly does not repeat it; see [poller.Begin].
//
//	ResourceController()   /v2/resource_instances: last_operation
//	Task()                 Cloud Databases: /v5/ibm/tasks
//	VPC("running")         VPC: status, of instances, volumes, images and others
//	VPCAction("stopped")   VPC: the same, after a POST of an action
//	VPCLifecycle()         VPC: lifecycle_state, of VPN servers and others
//	VPCProvisioning()      VPC: provisioning_status, of load balancers
//	CodeEngine()           Code Engine: applications, builds, runs and projects
//
// For any other service whose resource reports a status, define a [Resource]:
//
//	ibmcloud.Resource{Status: "/status/state", Succeeded: []string{"completed"}, Failed: []string{"failed"}} // PowerVS jobs
//
// # The two protocols
//
// The handbook ("Long-running operations") defines two ways in which a service reports
// the progress of an operation. In the operation-based one, which [Operation] follows,
// the response that starts the operation contains an operation resource, with a status
// and, at the end, the location of the resource that the operation created. In the
// resource-based one, which [Resource] follows, the resource itself has a status.
//
// Strategies are stateless values that any number of pollers may share. A token does
// not hold its strategy: give [poller.Resume] the same one again. With a strategy of
// the other kind, or with the status elsewhere, the wait ends as Unfollowable, and
// nothing is lost. The words of success are in the token.
//
// A word that a strategy does not know means in progress, and Status.Word holds it. Add
// terminal words, such as "succeeded_with_errors", to the Words of [poller.Options].
//
// # What the protocols leave open
//
// An operation may be gone after its DELETE has canceled it; the wait then ends with
// the reason Gone. If a service answers 404 to callers that may not see a resource, its
// deletion looks done. If a deletion fails without the resource ever having shown
// another word than before, it looks as if it were still in progress.
//
// # What the poller does
//
// Everything else is up to the poller, as for every strategy: the pace (Retry-After in
// seconds or as a date, or the hint that a strategy finds in the body), patience,
// origins, tokens and reading the result. If an operation fails with several errors,
// they are the Details within the Detail of an [lroerrors.OperationError]; a single
// error is that Detail.
//
// # Sources
//
// The IBM Cloud API handbook, "Long-running operations", "Errors" and "Headers"; and
// the responses of the services, as their own SDKs handle them. The transcripts are
// those named testdata/ibm-*.http in package poller.
package ibmcloud
