package fakes

import (
	"net/http"
	"net/url"
	"strings"
)

// A question is a request as the service understands it.
type question struct {
	kind   Kind // "" for a method that nothing is done with
	method string
	path   string
	target string // what it is about: the path, unless the dialect knows better
	body   []byte
	caller string     // its identity
	id     string     // the request ID that the answer has
	op     *operation // that it is about; nil for a Begin
	view   string     // which URL of op was asked, or "" for that of its resource

	creates bool // a Begin: what it is about is not there yet
	upserts bool // a PATCH of what is not there creates it

	base, query string
	header      http.Header
}

// link is the URL of path, with the query of the caller: ARO-HCP keeps it, and
// no client has a business with what is in it.
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

// classifyKind finds out what kind of question q is.
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

// classifyOperation recognizes the URLs that the service gave out.
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

// classifyGet tells the progress of an operation without a URL from a resource,
// and a resource from a collection.
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

// asksResource says whether q asks for a resource, be it to learn of an
// operation without a URL.
func (q *question) asksResource() bool {
	return q.kind == Read || q.kind == Poll && q.view == ""
}

// begins says whether q began an operation.
func (q *question) begins() bool { return q.kind == Begin && q.op != nil }

// stranger says whether q asks about an operation that somebody else began.
func (q *question) stranger() bool {
	return q.op != nil && q.view != "" && q.caller != q.op.begun.caller
}
