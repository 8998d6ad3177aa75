package engine

import (
	"net/http"
	"strings"
)

// classify converts r to a Request. It sets Kind and, if r reads or cancels an operation, Op.
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

// classifyKind sets q.Kind and, if q reads or cancels an operation, q.Op.
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

// classifyOperation reports whether q requests an operation's URL. If so, it sets Op and View and,
// if the URL supports the method, Kind.
func (s *Service) classifyOperation(q *Request) bool {
	path := q.Path
	canceling := q.Method == http.MethodDelete
	if q.Method == http.MethodPost {
		path, canceling = strings.CutSuffix(path, "/cancel")
	}
	op, view := s.operationAt(path)
	if op == nil || s.expired(op) {
		return false
	}

	q.Op = op
	q.View = view
	if canceling {
		q.Kind = Cancel
		return true
	}
	if q.Method != http.MethodGet {
		return true
	}
	q.Kind = Poll
	if view == ResultURL && op.Reported {
		q.Kind = Result
	}
	return true
}

// operationAt returns the operation and view whose URL has this path. The path ends with the
// operation's ID, or adds one segment to the resource's path.
func (s *Service) operationAt(path string) (*Operation, string) {
	k := Key(path)
	parent, name := Cut(k)
	op := s.Operations[name[strings.LastIndexByte(name, ':')+1:]] // in IBM Cloud, a colon may precede the ID
	if op == nil {
		op = s.Latest[parent]
	}
	if op == nil {
		return nil, ""
	}
	for view, path := range op.Paths() {
		if Key(path) == k {
			return op, view
		}
	}
	return nil, ""
}

// classifyGet sets the Kind of a GET: Begin, Poll, List or Read. For a Poll, it also sets q.Op.
func (s *Service) classifyGet(q *Request) {
	if s.planFor(q.Method, q.Path) != nil {
		q.Kind = Begin
		return
	}
	op := s.Latest[Key(q.Path)]
	if op != nil && op.Plan.Silent && !op.Reported {
		q.Kind = Poll
		q.Op = op
		return
	}
	q.Kind = Read
	if s.isCollection(q.Path) {
		q.Kind = List
	}
}

// isCollection reports whether a GET of path lists a collection. It returns false if a resource
// exists at path.
func (s *Service) isCollection(path string) bool {
	k := Key(path)
	if s.Resources[k] != nil {
		return false
	}
	return s.pages[k] != nil || s.Dialect.IsCollection(path)
}
