package fakes

import "net/http"

// Quirks of the answer that begins an operation.
const (
	// GoneBeforeEnd is that of a DELETE whose resource is already 404 while the
	// operation still runs, as at API Management.
	GoneBeforeEnd Quirk = "W3"
)

var quirksOfBeginnings = map[Quirk]func() behaviour{
	GoneBeforeEnd: func() behaviour { return behaviour{answer: goneWhileDeleted} },
}

func goneWhileDeleted(s *Service, q *question, a *Answer) {
	if op := s.latest[key(q.path)]; q.kind == Read && op.running() && op.method == http.MethodDelete {
		*a = s.speech().notFound(q, q.path)
	}
}
