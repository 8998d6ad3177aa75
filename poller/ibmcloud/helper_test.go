package ibmcloud_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

const origin = "https://api.example.test"

type raw = json.RawMessage

// A service has a list of responses, such as "200 {...}", for each method and URL. It sends them in
// order and repeats the last one. Other requests get a 404.
type service struct {
	mu      sync.Mutex
	answers map[string][]string
	asked   []string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := r.Method + " " + r.URL.RequestURI()
	s.asked = append(s.asked, what)
	list := s.answers[what]
	if len(list) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if len(list) > 1 {
		s.answers[what] = list[1:]
	}
	code, body, _ := strings.Cut(list[0], " ")
	var status int
	if _, err := fmt.Sscan(code, &status); err != nil {
		panic(err)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *service) client() *http.Client { return fakes.Client(s) }

func begin[T any](t *testing.T, s *service, what string, opts *poller.Options) *poller.Poller[T] {
	t.Helper()
	method, path, _ := strings.Cut(what, " ")
	req, err := http.NewRequestWithContext(context.Background(), method, origin+path, nil)
	require.NoError(t, err)
	p, err := poller.Begin[T](req, s.client(), opts)
	require.NoError(t, err)
	return p
}
