package fakes

import (
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A replay is a recorded conversation about one resource, within a [Service].
type replay struct {
	exchanges []recorded
	at        int // the next exchange
}

// newReplay panics if the transcript cannot be read: package quirks embeds it.
func newReplay(transcript, path string) *replay {
	if engine.Key(path) == "/" {
		path = "/widgets/w1"
	}
	_, name := engine.Cut(path)
	text := strings.NewReplacer("{{resource}}", path, "{{name}}", name).Replace(transcript)
	t, err := ReadTranscript(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return &replay{exchanges: t.exchanges}
}

// find returns the exchange whose request is r, without regard to the query:
// the next one like it, or the last one before if there is no next one. A second
// creation of the resource so starts the conversation again.
func (p *replay) find(r *http.Request, body []byte) (recorded, bool) {
	plain, u := *r, *r.URL
	u.RawQuery = ""
	plain.URL = &u
	same := func(e recorded) bool { return e.differs(&plain, body) == nil }
	i := slices.IndexFunc(p.exchanges[p.at:], same) + p.at
	if i < p.at {
		for i = p.at - 1; i >= 0 && !same(p.exchanges[i]); i-- {
		}
	}
	if i < 0 {
		return recorded{}, false
	}
	p.at = i + 1
	return p.exchanges[i], true
}

// replay returns the recorded exchange that answers r, if there is one.
func (s *Service) replay(r *http.Request, body []byte) (recorded, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.replays {
		if e, ok := p.find(r, body); ok {
			return e, true
		}
	}
	return recorded{}, false
}
