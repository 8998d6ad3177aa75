// Package resource follows operations whose status is in the resource itself: a member such as
// "status" or "state" contains a word that shows how far the operation has progressed. Set
// Options.Strategy of package [github.com/lro-go/lro/poller] to a [Strategy]:
//
//	resource.Strategy{Status: "/lifecycle_state", Succeeded: []string{"stable"}, Failed: []string{"failed"}}
//
// A Strategy needs to know which member contains the word, and which words end an operation. Any
// other word means that the operation is in progress; Status.Word contains it. The resource is at
// the URL of the request or, after a POST, at a URL in the response. If the words apply to one
// operation only, set the Words of poller.Options instead.
//
// The package knows how words, progress, pauses and errors appear in a resource, and how a resource
// looks while it is being deleted. It knows nothing about any particular service; presets for IBM
// Cloud are in package [github.com/lro-go/lro/poller/ibmcloud]. The poller decides when to read a
// URL and how to treat failed reads. The package uses only exported names of this module, mainly
// from packages [github.com/lro-go/lro/poller/strategy] and [github.com/lro-go/lro/poller/check],
// so your own strategy can do the same.
//
// A Strategy is a stateless value that any number of pollers may share. A token does not contain
// the Strategy, so pass the same one to poller.Resume. If you pass one with a different pointer to
// the status, the wait ends with the reason Unfollowable.
//
// A Strategy cannot detect two cases. If a service returns 404 to callers that are not allowed to
// see a resource, the deletion of that resource looks complete. If a deletion fails and the
// resource's status does not change, the deletion looks as if it were still in progress.
//
// The rules come from the IBM Cloud API handbook ("Resource-based long-running operations") and
// from the behavior of services, as recorded in the transcripts poller/testdata/ibm-*.http.
package resource
