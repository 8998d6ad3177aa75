package pager_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

const (
	origin = "https://management.example.test"
	list   = origin + "/widgets?api-version=1"
)

// A service sends the replies for a path and query in order, and repeats the last one. A reply is
// either a response, such as "200 {...}\nName: value", or "drop", which closes the connection.
type service struct {
	mu      sync.Mutex
	replies map[string][]string
	asked   []request
}

type request struct {
	what   string // "GET /path?query"
	header http.Header
	body   string
}

func serve(replies map[string][]string) *service { return &service{replies: replies} }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, request{r.Method + " " + r.URL.RequestURI(), r.Header.Clone(), string(body)})
	replies := s.replies[r.URL.RequestURI()]
	next := "404 no reply for " + r.URL.RequestURI()
	if len(replies) > 0 {
		next = replies[0]
	}
	if len(replies) > 1 {
		s.replies[r.URL.RequestURI()] = replies[1:]
	}
	s.mu.Unlock()
	write(w, next)
}

func write(w http.ResponseWriter, text string) {
	if text == "drop" {
		panic(http.ErrAbortHandler)
	}
	head, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		w.Header().Set(name, value)
	}
	code := 0
	if _, err := fmt.Sscanf(head, "%d", &code); err != nil {
		panic(err)
	}
	_, body, _ := strings.Cut(head, " ")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// requests returns the method, path and query of each request that the service received, in order.
func (s *service) requests() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asked {
		all = append(all, r.what)
	}
	return all
}

func newRequest(t testing.TB, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	return req
}

func newPager[T any](t testing.TB, s http.Handler, opts *pager.Options) *pager.Pager[T] {
	t.Helper()
	return pager.New[T](newRequest(t, http.MethodGet, list, ""), fakes.Client(s), opts)
}

// items returns the remaining items up to the first error, and that error.
func items[T any](ctx context.Context, p *pager.Pager[T]) (all []T, err error) {
	for item, err := range p.All(ctx) {
		if err != nil {
			return all, err
		}
		all = append(all, item)
	}
	return all, nil
}

// statusError asserts that err itself is a *StatusError and contains no secret, and returns it.
func statusError(t testing.TB, err error) *lroerrors.StatusError {
	t.Helper()
	require.IsType(t, &lroerrors.StatusError{}, err, "%v", err)
	require.NotContains(t, err.Error(), "SECRET")
	return err.(*lroerrors.StatusError) //nolint:errorlint // the outermost error must be a *StatusError
}

// numbers returns a service with n pages of two numbers each.
func numbers(n int) *service {
	s := serve(map[string][]string{})
	for i := range n {
		link := ""
		if i+1 < n {
			link = fmt.Sprintf(`, "nextLink": "%s/widgets?page=%d"`, origin, i+1)
		}
		path := "/widgets?api-version=1"
		if i > 0 {
			path = fmt.Sprintf("/widgets?page=%d", i)
		}
		s.replies[path] = []string{fmt.Sprintf(`200 {"value": [%d, %d]%s}`, 2*i, 2*i+1, link)}
	}
	return s
}

// slowly delays each of h's responses by d, but sends none if the client disconnects first.
func slowly(h http.Handler, d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			h.ServeHTTP(w, r)
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	})
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func count(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}
