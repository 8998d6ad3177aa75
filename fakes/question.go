package fakes

import (
	"net/http"
	"net/url"
	"strings"
)

// A question is a request as the service understands it.
type question struct {
	kind   Kind // "" if the method is not supported
	method string
	path   string
	target string // the path that it acts on: path, unless the dialect changes it
	body   []byte
	caller string     // the identity of its sender
	id     string     // the request ID in the response
	op     *operation // that it reads or cancels; nil for a Begin
	view   string     // which URL of op it names; "" for the resource

	creates bool // a Begin that creates a resource
	upserts bool // a PATCH that may create a resource

	base, query string
	header      http.Header
}

// link returns the URL of path with the query of the caller, as ARO-HCP does. A
// client must treat the query as opaque.
func (q *question) link(path string) string {
	link := q.base + (&url.URL{Path: path}).EscapedPath()
	if q.query != "" {
		link += "?" + q.query
	}
	return link
}

// classify finds out what r asks for.
func (s *Service) classify(r *http.Request) *question {
	q := &question{
		method: r.Method,
		path:   "/" + strings.Trim(r.URL.Path, "/"),
		base:   baseURL(r),
		query:  r.URL.RawQuery,
		header: r.Header,
	}
	if q.method == http.MethodHead {
		q.method = http.MethodGet
	}
	q.target = q.path
	if s.Identity != nil {
		q.caller = s.Identity(r)
	}
	s.speech().understand(s, q, r)
	s.classifyKind(q)
	s.reclassify(q)
	return q
}

// classifyKind sets the Kind of q.
func (s *Service) classifyKind(q *question) {
	if s.classifyOperation(q) {
		return
	}
	if _, listed := s.listing(q.method, q.path); listed && q.method != http.MethodGet {
		q.kind = List
		return
	}
	switch q.method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodPost:
		q.kind = Begin
	case http.MethodGet:
		s.classifyGet(q)
	}
}

// classifyOperation recognizes the URLs of operations.
func (s *Service) classifyOperation(q *question) bool {
	path, canceling := q.path, false
	if q.method == http.MethodPost {
		path, canceling = strings.CutSuffix(path, "/cancel")
	}
	at := s.places[key(path)]
	if at.op == nil || s.expired(at.op) {
		return false
	}
	q.op, q.view = at.op, at.view
	switch {
	case canceling || q.method == http.MethodDelete:
		q.kind = Cancel
	case q.method != http.MethodGet:
	case at.view == results && at.op.told:
		q.kind = Result
	default:
		q.kind = Poll
	}
	return true
}

// classifyGet distinguishes a poll of an operation without a URL, a read of a
// resource and a listing.
func (s *Service) classifyGet(q *question) {
	k := key(q.path)
	op, exists := s.latest[k], s.resources[k] != nil
	switch {
	case s.planned(q.method, q.path) != nil:
		q.kind = Begin
	case op != nil && op.plan.Style.silent() && !op.told:
		q.kind, q.op = Poll, op
	case !exists && (s.pages[k] != nil || s.speech().collection(q.path)):
		q.kind = List
	default:
		q.kind = Read
	}
}

// asksResource reports whether q reads a resource, perhaps as a poll of an
// operation without a URL.
func (q *question) asksResource() bool {
	return q.kind == Read || q.kind == Poll && q.view == ""
}

// begins reports whether q started an operation.
func (q *question) begins() bool { return q.kind == Begin && q.op != nil }

// stranger reports whether q reads or cancels an operation that another
// identity started.
func (q *question) stranger() bool {
	return q.op != nil && q.view != "" && q.caller != q.op.begun.caller
}
