package fakes

import "github.com/lro-go/lro/fakes/internal/engine"

// A Kind is the kind of a request to a [Service]. A [Fault] can select requests by Kind, and the
// request log records the Kind of each request.
type Kind = engine.Kind

const (
	// Begin is a PUT, PATCH, DELETE or POST that starts an operation. A GET starts one only if a
	// [Plan] has the Method GET.
	Begin Kind = engine.Begin

	// Poll is a GET that reads an operation's status from one of the operation's URLs. If the
	// client got no such URL, the GET of the resource is the Poll. The GET that reports the
	// terminal state is also a Poll.
	Poll Kind = engine.Poll

	// Result is a GET of an operation's Location after the terminal state has been reported. For
	// example, a client that polls the Azure-AsyncOperation URL of a POST reads the result at the
	// Location.
	Result Kind = engine.Result

	// Read is any other GET of a resource. For example, after polling the Azure-AsyncOperation URL
	// of a PUT or PATCH, a client reads the result from the resource.
	Read Kind = engine.Read

	// List is a request for a page of a collection: a GET, or a request with
	// the Method of a [Listing].
	List Kind = engine.List

	// Cancel is a request to cancel an operation: a POST to the operation's URL with /cancel
	// appended, a DELETE of the operation's URL or, in IBM Cloud, a DELETE of an instance's
	// last_operation.
	Cancel Kind = engine.Cancel
)
