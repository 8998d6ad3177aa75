package engine

import (
	"net/http"
	"net/url"
	"strings"
)

// A Request is an HTTP request as the service understands it.
type Request struct {
	Kind   Kind // "" if the method is not supported
	Method string
	Path   string
	Target string // the path that the request acts on: Path, unless the dialect changes it
	Body   []byte
	Caller string     // the identity of the sender
	ID     string     // the request ID in the response
	Op     *Operation // the operation that the request reads or cancels, or that it has started
	View   string     // which URL of Op it requests; "" for the resource

	Creates bool // whether this is a Begin that creates a resource
	Upserts bool // whether this is a PATCH that may create a resource

	Base, Query string
	Header      http.Header
}

// Link returns the URL of path with the query of q, because ARO-HCP repeats the
// caller's query in its links. A client must treat the query as opaque.
func (q *Request) Link(path string) string {
	link := q.Base + (&url.URL{Path: path}).EscapedPath()
	if q.Query != "" {
		link += "?" + q.Query
	}
	return link
}

// classify determines what r asks for.
func (s *Service) classify(r *http.Request) *Request {
	q := &Request{
		Method: r.Method,
		Path:   "/" + strings.Trim(r.URL.Path, "/"),
		Base:   BaseURL(r),
		Query:  r.URL.RawQuery,
		Header: r.Header,
	}
	if q.Method == http.MethodHead {
		q.Method = http.MethodGet
	}
	q.Target = q.Path
	if s.Identity != nil {
		q.Caller = s.Identity(r)
	}
	s.Dialect.Parse(s, q, r)
	s.classifyKind(q)
	s.reclassify(q)
	return q
}

// classifyKind sets the Kind of q.
func (s *Service) classifyKind(q *Request) {
	if s.classifyOperation(q) {
		return
	}
	if _, listed := s.listing(q.Method, q.Path); listed && q.Method != http.MethodGet {
		q.Kind = List
		return
	}
	switch q.Method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodPost:
		q.Kind = Begin
	case http.MethodGet:
		s.classifyGet(q)
	}
}

// classifyOperation sets the Kind of q if q requests a URL of an operation.
// Otherwise, it returns false.
func (s *Service) classifyOperation(q *Request) bool {
	path, canceling := q.Path, false
	if q.Method == http.MethodPost {
		path, canceling = strings.CutSuffix(path, "/cancel")
	}
	at := s.places[Key(path)]
	if at.op == nil || s.expired(at.op) {
		return false
	}
	q.Op, q.View = at.op, at.view
	switch {
	case canceling || q.Method == http.MethodDelete:
		q.Kind = Cancel
	case q.Method != http.MethodGet:
	case at.view == ResultURL && at.op.Reported:
		q.Kind = Result
	default:
		q.Kind = Poll
	}
	return true
}

// classifyGet sets the Kind of q, a GET. The GET may start an operation, poll
// an operation that has no URL of its own, list a collection, or read a
// resource.
func (s *Service) classifyGet(q *Request) {
	k := Key(q.Path)
	op, exists := s.Latest[k], s.Resources[k] != nil
	switch {
	case s.planned(q.Method, q.Path) != nil:
		q.Kind = Begin
	case op != nil && op.Plan.Silent && !op.Reported:
		q.Kind, q.Op = Poll, op
	case !exists && (s.pages[k] != nil || s.Dialect.IsCollection(q.Path)):
		q.Kind = List
	default:
		q.Kind = Read
	}
}

// ReadsResource reports whether q reads a resource. The read may also be a poll
// of an operation that has no URL of its own.
func (q *Request) ReadsResource() bool {
	return q.Kind == Read || q.Kind == Poll && q.View == ""
}

// Started reports whether q started an operation.
func (q *Request) Started() bool { return q.Kind == Begin && q.Op != nil }

// Foreign reports whether q reads or cancels an operation that another
// identity started.
func (q *Request) Foreign() bool {
	return q.Op != nil && q.View != "" && q.Caller != q.Op.First.Caller
}

// Is reports whether q has this kind and method.
func (q *Request) Is(kind Kind, method string) bool { return q.Kind == kind && q.Method == method }

// Polls reports whether q reads a URL of an operation that a request with this
// method started. "" matches every method.
func (q *Request) Polls(method string) bool {
	return q.Op != nil && q.View != "" && (q.Kind == Poll || q.Kind == Result) && (method == "" || q.Op.Method == method)
}

// BaseURL returns the scheme and host that the client of r used.
func BaseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
