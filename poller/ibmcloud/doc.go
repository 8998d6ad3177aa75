// Package ibmcloud has the strategies of IBM Cloud, for the Strategy of
// [poller.Options]. It is built on what package poller exports, as anybody's
// strategy is.
//
// Most callers need [Operation], for a service that follows the API handbook, or
// the preset of the service they are a client of:
//
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: ibmcloud.Operation{}})
//
//	ResourceController()   /v2/resource_instances: last_operation
//	Task()                 Cloud Databases: /v5/ibm/tasks
//	VPC("running")         VPC: status, of instances, volumes, images and others
//	VPCAction("stopped")   VPC: the same, after a POST of an action
//	VPCLifecycle()         VPC: lifecycle_state, of VPN servers and others
//	VPCProvisioning()      VPC: provisioning_status, of load balancers
//	CodeEngine()           Code Engine: applications, builds, runs and projects
//
// Any other service whose resource tells a status is a [Resource] of its own:
//
//	ibmcloud.Resource{Status: "/status/state", Succeeded: []string{"completed"}, Failed: []string{"failed"}} // PowerVS jobs
//
// # Two ways
//
// The handbook ("Long-running operations") knows two ways in which a service
// tells how an operation is getting on. In the operation-based one, which is
// [Operation], the answer that begins it has an operation resource, with a status
// and, at the end, the location of the resource that the operation made. In the
// resource-based one, which is [Resource], the resource itself has a status.
//
// Strategies are values without state, to be shared by any number of pollers. A
// token does not hold its strategy: give [poller.Resume] the same one again. With
// one of another kind, or with a status elsewhere, the wait ends Unfollowable, and
// nothing is lost. The words of success are in the token.
//
// A word that a strategy does not know is in progress, and the Status tells it: name
// further ones, such as "succeeded_with_errors", in the Words of [poller.Options].
//
// # What the protocols leave open
//
// An operation may be gone after its DELETE has canceled it; the wait for it then
// ends with the reason Gone. A service that answers 404 to whoever has no right to a
// resource makes its deletion look done. A deletion that fails without ever having
// shown another word than before is not told from one that goes on.
//
// # What the poller does
//
// Everything else is the poller's, as for every strategy: the pace (Retry-After in
// seconds or as a date, or the hint in the body that a strategy finds), patience,
// origins, tokens and the reading of the result. The errors of a failed operation,
// all of them, are the Details within the Detail of an [lroerrors.OperationError];
// one alone is that Detail.
//
// # Sources
//
// The IBM Cloud API handbook, "Long-running operations", "Errors" and "Headers"; and
// what the services answer, as their own SDKs know it. The transcripts are among
// those of package poller, in testdata/ibm-*.http.
package ibmcloud
