package engine

// A Kind is the kind of a request to a Service. The kinds are documented in
// package fakes.
type Kind string

// The kinds of requests. If the method of a request is not supported, its Kind
// is "".
const (
	Begin  Kind = "Begin"
	Poll   Kind = "Poll"
	Result Kind = "Result"
	Read   Kind = "Read"
	List   Kind = "List"
	Cancel Kind = "Cancel"
)
