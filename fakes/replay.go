package fakes

import (
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A replay is a recorded conversation about one resource, and the current position in it.
type replay struct {
	exchanges []recorded
	at        int // the next exchange
}

// A script is a transcript that applies to any resource at or below path.
type script struct {
	transcript string
	path       string
}

// conversation returns a new conversation about the resource at the escaped path. It panics if the
// transcript is invalid.
func (s script) conversation(path string) *replay {
	_, name := engine.Cut(path)
	text := strings.NewReplacer("{{resource}}", path, "{{name}}", name).Replace(s.transcript)
	t, err := ReadTranscript(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return &replay{exchanges: t.exchanges}
}

// start reports whether r is the first request of the transcript, sent to a resource at or below
// s.path. If so, start also returns a new conversation.
func (s script) start(r *http.Request, body []byte) (*replay, bool) {
	if !strings.HasPrefix(r.URL.Path, "/") || !engine.Under(r.URL.Path, s.path) {
		return nil, false
	}
	p := s.conversation(r.URL.EscapedPath())
	return p, p.exchanges[0].differs(withoutQuery(r), body, false) == nil
}

func withoutQuery(r *http.Request) *http.Request {
	plain, u := *r, *r.URL
	u.RawQuery = ""
	plain.URL = &u
	return &plain
}

// find returns the next exchange whose request matches r, regardless of the query. If no later
// exchange matches, find falls back to the last earlier match, so that a conversation can restart.
func (p *replay) find(r *http.Request, body []byte) (recorded, bool) {
	plain := withoutQuery(r)
	same := func(e recorded) bool { return e.differs(plain, body, false) == nil }
	for i, e := range p.exchanges {
		if i >= p.at && same(e) {
			p.at = i + 1
			return e, true
		}
	}
	for i, e := range slices.Backward(p.exchanges[:p.at]) {
		if same(e) {
			p.at = i + 1
			return e, true
		}
	}
	return recorded{}, false
}

// replay returns the recorded exchange for r, and reports whether it has found one.
func (s *Service) replay(r *http.Request, body []byte) (recorded, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.replays {
		if e, ok := p.find(r, body); ok {
			return e, true
		}
	}
	for _, script := range s.scripts {
		if p, ok := script.start(r, body); ok {
			s.replays = append(s.replays, p)
			return p.find(r, body)
		}
	}
	return recorded{}, false
}
