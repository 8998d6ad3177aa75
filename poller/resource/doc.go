// Package resource follows operations whose status is in a resource: a member such as "status" or
// "state" shows a word until the operation has ended. Set a [Strategy] as the Strategy of the
// Options of package [github.com/lro-go/lro/poller]:
//
//	resource.Strategy{Status: "/lifecycle_state", Succeeded: []string{"stable"}, Failed: []string{"failed"}}
//
// A Strategy needs to know which member has the word, and which words end an operation. The
// response to the request names the resource, or the URL of the request does. Any other word means
// that the operation is in progress, and Status.Word holds it. For the words of one operation only,
// use the Words of poller.Options.
//
// The package knows how words, progress, pauses and errors appear in a resource, and how a resource
// looks while it is being deleted. It does not know any particular service:
// [github.com/lro-go/lro/poller/ibmcloud] has presets for IBM Cloud. It also does not know when a URL
// is read, or how failed reads are counted. Like any other strategy, it uses only the exported names
// of packages [github.com/lro-go/lro/poller/strategy] and [github.com/lro-go/lro/poller/check].
//
// A Strategy is a stateless value that any number of pollers may share. A token does not contain its
// strategy, so pass the same one to poller.Resume. With a different pointer to the status, the wait
// ends with the reason Unfollowable.
//
// Some cases cannot be distinguished. If a service returns 404 to callers that are not allowed to see
// a resource, the deletion of that resource looks complete. If a deletion fails and the status of the
// resource does not change, the deletion looks as if it were still in progress.
//
// The rules come from the IBM Cloud API handbook ("Resource-based long-running operations") and from
// the behavior of services. The transcripts are poller/testdata/ibm-*.http.
package resource
