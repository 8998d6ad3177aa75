// Package ibmcloud provides strategies for IBM Cloud. Set the Strategy in the Options of package
// [github.com/lro-go/lro/poller] to one of them. Like any strategy of your own, they use only
// exported names of this module.
//
// Most callers need [Operation], for a service that follows the API handbook, or the preset for
// their service:
//
//	client := transport.NewClient(&transport.Options{Token: token, Policy: transport.IdempotentOnly})
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: ibmcloud.Operation{}})
//
// With the policy IdempotentOnly, the client does not repeat a POST whose response was lost. IBM
// Cloud does not ask clients to repeat such a POST, and a repeated one might create a second
// resource; see poller.Begin.
//
// These are the presets. You may change their fields before use:
//
//	ResourceController()   /v2/resource_instances: last_operation
//	Task()                 Cloud Databases: /v5/ibm/tasks
//	VPC("running")         VPC: status, of instances, volumes, images and others
//	VPCAction("stopped")   VPC: the same, after a POST to …/actions
//	VPCLifecycle()         VPC: lifecycle_state, of VPN servers and others
//	VPCProvisioning()      VPC: provisioning_status, of load balancers
//	CodeEngine()           Code Engine: applications, builds, runs and projects
//
// For any other service whose resource reports a status, define a [resource.Strategy]:
//
//	resource.Strategy{Status: "/status/state", Succeeded: []string{"completed"}, Failed: []string{"failed"}} // PowerVS jobs
//
// # Concepts
//
// The handbook ("Long-running operations") defines two protocols. In the operation-based one, which
// [Operation] follows, the first response contains an operation resource. It has a status and, once
// the operation has ended, the location of the created resource. In the resource-based one, which
// [resource.Strategy] and the presets follow, the resource itself has a status.
//
// Strategies are stateless values that any number of pollers may share. A token does not contain
// the strategy, so pass the same one to poller.Resume. If you pass a strategy for the other
// protocol, or one with a different pointer to the status, the wait ends with the reason
// Unfollowable.
//
// If a strategy does not know a word, it treats the operation as in progress, and Status.Word
// contains the word. Add other terminal words, such as "succeeded_with_errors", to Words in
// poller.Options. If an operation fails with a single error, the [lroerrors.OperationError]'s
// Detail is that error. If it fails with several, they are in Detail.Details.
//
// In three cases, the strategies cannot tell what happened. A canceled operation may be gone after
// its DELETE; the wait then ends with the reason Gone. If a service returns 404 to callers that are
// not allowed to see a resource, the deletion of that resource looks complete. If a deletion fails
// and the resource's status does not change, the deletion seems to be still in progress.
//
// The sources are the IBM Cloud API handbook ("Long-running operations", "Errors", "Headers") and
// the behavior of the services' own SDKs. The transcripts are in poller/testdata/ibm-*.http.
package ibmcloud
