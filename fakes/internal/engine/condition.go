package engine

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/etag"
)

// unmet returns a 304 or an error response if res, which may be nil, does not meet the conditions
// of q. Call unmet after all other checks, because a server must ignore the conditions of a request
// that fails anyway (RFC 9110, section 13.2.1).
func (s *Service) unmet(q *Request, res *Resource, op *Operation) (Answer, bool) {
	tag := ""
	if s.ETags && res != nil && !res.Hidden {
		tag = etag.Of(s.Dialect.Show(s, res, op, q.Base))
	}
	code := etag.Check(q.Method, q.Header, tag)
	if !s.ETags || code == 0 {
		return Answer{}, false
	}
	if code == http.StatusNotModified {
		return Answer{StatusCode: code, Header: http.Header{"Etag": {tag}}}, true
	}
	return s.Dialect.Failure(q, code, Error{Code: "PreconditionFailed", Message: "The resource '" + q.Target + "' does not meet If-Match or If-None-Match."}), true
}

// tagged adds an ETag header to a if s.ETags is set. The body of a must be a resource.
func (s *Service) tagged(a Answer) Answer {
	if s.ETags {
		a.Set("ETag", etag.Of(a.Body))
	}
	return a
}

// show answers a GET of res. op is the operation in progress on res, or nil.
func (s *Service) show(q *Request, res *Resource, op *Operation) Answer {
	if a, unmet := s.unmet(q, res, op); unmet {
		return a
	}
	return s.tagged(JSON(http.StatusOK, s.Dialect.Show(s, res, op, q.Base)))
}
