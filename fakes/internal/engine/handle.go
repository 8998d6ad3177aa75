package engine

import "net/http"

// Mark sets the headers that every response to r must have, and returns the request ID.
func (s *Service) Mark(h http.Header, r *http.Request) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers++
	request, trace := s.Dialect.IDHeaders()
	id = GUID("f", s.answers)
	h.Set(request, id)
	if id := r.Header.Get(trace); id != "" {
		h.Set(trace, id)
	}
	return id
}

// Facts describe a request. The faults and the request log use them.
type Facts struct {
	Kind         Kind
	Method, Path string
	Target       string // the path that the request's operation acts on
	Operation    string // the ID of the request's operation
}

// Classify returns the facts about r. Call Classify before Answer, which can change the facts.
func (s *Service) Classify(r *http.Request) Facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.classify(r)
	f := Facts{Kind: q.Kind, Method: q.Method, Path: q.Path}
	if q.Op != nil {
		f.Target, f.Operation = q.Op.Target, q.Op.ID
	}
	return f
}

// Answer returns the response to r, and the ID of the operation that r started, read or canceled.
// body is the request body, which the caller has already read. id is the request ID from Mark.
func (s *Service) Answer(r *http.Request, body []byte, id string) (a Answer, operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.classify(r)
	q.Body, q.ID = body, id
	a, ok := s.answerInstead(q)
	if !ok {
		a, q.Op = s.dispatch(q)
		a = s.editAnswer(q, a)
	}
	if q.Op != nil {
		operation = q.Op.ID
	}
	return a, operation
}

// dispatch answers q without calling the Instead and Answer hooks. It also returns the operation
// that q started, read or canceled.
func (s *Service) dispatch(q *Request) (Answer, *Operation) {
	d := s.Dialect
	if a, refused := d.Refuse(s, q); refused {
		return a, q.Op
	}
	switch q.Kind {
	case Begin:
		return d.Begin(s, q)
	case Poll, Result:
		return s.Poll(q), q.Op
	case Cancel:
		return d.Cancel(s, q), q.Op
	case List:
		return s.List(q, func(token int) (page, int) { return s.children(q, token) }), nil
	case Read:
		return s.Read(q), nil
	}
	return d.Failure(q, http.StatusMethodNotAllowed, Error{Code: "MethodNotAllowed", Message: q.Method + " is not allowed."}), nil
}
