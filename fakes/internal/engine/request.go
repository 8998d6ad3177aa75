package engine

import (
	"net/http"
	"net/url"
)

// A Kind is the kind of a request to a Service. Package fakes documents the kinds.
type Kind string

// The kinds of requests. A request whose method is not supported has the Kind "".
const (
	Begin  Kind = "Begin"
	Poll   Kind = "Poll"
	Result Kind = "Result"
	Read   Kind = "Read"
	List   Kind = "List"
	Cancel Kind = "Cancel"
)

// A Request is an HTTP request that a Service has parsed and classified.
type Request struct {
	Kind   Kind // "" if the method is not supported
	Method string
	Path   string
	Target string // the path that the request acts on; usually equal to Path
	Body   []byte
	Caller string     // the sender's identity
	ID     string     // the request ID in the response
	Op     *Operation // the operation that the request reads or cancels, or has started
	View   string     // which of Op's URLs the request is for; "" for the resource

	Creates bool // whether this is a Begin that creates a resource
	Upserts bool // whether a PATCH may create the resource

	Base, Query string
	Header      http.Header
}

// Link returns a URL with the given path, and the Base and Query of q. The links of ARO-HCP also
// keep the query of the request.
func (q *Request) Link(path string) string {
	link := q.Base + (&url.URL{Path: path}).EscapedPath()
	if q.Query != "" {
		link += "?" + q.Query
	}
	return link
}

// Foreign reports whether q requests a URL of an operation that another identity started.
func (q *Request) Foreign() bool {
	return q.Op != nil && q.View != "" && q.Caller != q.Op.First.Caller
}

// Is reports whether q has this kind and method.
func (q *Request) Is(kind Kind, method string) bool { return q.Kind == kind && q.Method == method }

// BaseURL returns the scheme and host of the URL that the client requested.
func BaseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
