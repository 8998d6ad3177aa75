package fakes

// A Kind is what a request asks of a [Service]. A [Fault] chooses by it, and
// the log of requests tells it.
type Kind string

const (
	// Begin is a PUT, PATCH, DELETE or POST that asks for something to be done.
	Begin Kind = "Begin"

	// Poll is a question how an operation is getting on: a GET of one of the
	// URLs it was begun with or, where there is none, of its resource. The one
	// that tells the end is a Poll, too.
	Poll Kind = "Poll"

	// Result is a GET of the Location of an operation that is known to have
	// ended, which is where a POST that was followed by another URL has its
	// result.
	Result Kind = "Result"

	// Read is any other GET of a resource.
	Read Kind = "Read"

	// List is a question for a page of a collection: a GET, or what a [Listing]
	// says.
	List Kind = "List"

	// Cancel is a request to give an operation up: a POST of its URL with
	// /cancel added, or a DELETE of its URL or of the last_operation of an
	// instance.
	Cancel Kind = "Cancel"
)
