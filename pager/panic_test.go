package pager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// boom is a panic value. It is a pointer, so that the function outcome recognizes exactly this
// value.
var boom = &struct{ text string }{"boom"}

var aborts = map[string]func(){"panic": func() { panic(boom) }, "Goexit": runtime.Goexit}

// outcome calls f in a new goroutine and reports how f ended: "returned", "Goexit", "panic" for a
// panic with boom, or the text of any other panic value.
func outcome(f func()) (how string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v == boom {
				how = "panic"
			} else if v != nil {
				how = fmt.Sprint(v)
			}
		}()
		how = "Goexit"
		f()
		how = "returned"
	}()
	<-done
	return how
}

// abortingNumber is an int whose UnmarshalJSON panics or calls runtime.Goexit if the JSON is a key
// of aborts, such as "Goexit".
type abortingNumber int

func (f *abortingNumber) UnmarshalJSON(b []byte) error {
	if abort := aborts[strings.Trim(string(b), `"`)]; abort != nil {
		abort()
	}
	return json.Unmarshal(b, (*int)(f))
}

// An aborter is a service, and also the Doer and the log handler of its pager. While the pager
// reads the second page for the first time, one part of the code that its caller supplies, such as
// the Doer, panics or calls runtime.Goexit.
type aborter struct {
	*service
	abort string
	where string // the code that aborts, such as "Doer"
	last  context.Context
}

// once calls aborts[s.abort] the first time that where equals s.where.
func (s *aborter) once(where string) {
	if s.where == where {
		s.where = ""
		aborts[s.abort]()
	}
}

func newAborter(abort, where string) *aborter {
	s := &aborter{numbers(3), abort, where, nil}
	if where == "UnmarshalJSON" {
		s.replies["/widgets?page=1"] = append([]string{`200 {"value": ["` + abort + `"]}`}, s.replies["/widgets?page=1"]...)
	}
	return s
}

func (s *aborter) Do(req *http.Request) (*http.Response, error) {
	s.last = req.Context()
	if req.URL.RawQuery != "page=1" {
		return fakes.Client(s.service).Do(req)
	}
	s.once("Doer")
	resp, err := fakes.Client(s.service).Do(req)
	if err == nil && s.where == "Body" {
		resp.Body = abortingBody{resp.Body, s}
	}
	return resp, err
}

type abortingBody struct {
	io.ReadCloser
	s *aborter
}

func (b abortingBody) Read(p []byte) (int, error) {
	b.s.once("Body")
	return b.ReadCloser.Read(p)
}

func (s *aborter) next(page pager.Page[json.RawMessage]) (*http.Request, error) {
	if strings.HasSuffix(page.URL, "page=1") {
		s.once("Next")
	}
	if page.NextLink == "" {
		return nil, nil
	}
	return http.NewRequestWithContext(context.Background(), http.MethodGet, page.NextLink, http.NoBody)
}

func (s *aborter) Enabled(context.Context, slog.Level) bool { return true }
func (s *aborter) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *aborter) WithGroup(string) slog.Handler            { return s }

func (s *aborter) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "pages" && a.Value.Int64() == 2 {
			s.once("Logger")
		}
		return true
	})
	return nil
}

func (s *aborter) pager(t *testing.T, opts *pager.Options) *pager.Pager[abortingNumber] {
	t.Helper()
	opts.Logger, opts.MaxPages = slog.New(s), 3
	if s.where == "Next" {
		opts.Next = s.next
	}
	return pager.New[abortingNumber](newRequest(t, http.MethodGet, list, ""), s, opts)
}

// ways maps each way of reading the rest of a listing to a function that appends the items to got.
var ways = map[string]func(ctx context.Context, p *pager.Pager[abortingNumber], got *[]abortingNumber) error{
	"All": func(ctx context.Context, p *pager.Pager[abortingNumber], got *[]abortingNumber) error {
		for item, err := range p.All(ctx) {
			if err != nil {
				return err
			}
			*got = append(*got, item)
		}
		return nil
	},
	"Pages": func(ctx context.Context, p *pager.Pager[abortingNumber], got *[]abortingNumber) error {
		for page, err := range p.Pages(ctx) {
			if err != nil {
				return err
			}
			*got = append(*got, page.Items...)
		}
		return nil
	},
	"NextPage": func(ctx context.Context, p *pager.Pager[abortingNumber], got *[]abortingNumber) error {
		for page, err := range p.Pages(ctx) {
			for ; err == nil; page, err = p.NextPage(ctx) {
				if *got = append(*got, page.Items...); !p.More() {
					return nil
				}
			}
			return err
		}
		return nil
	},
}

// A panic or runtime.Goexit in the caller's code surfaces in the goroutine that loops over the
// listing. The page can be read again.
func TestPanicSurfacesInReader(t *testing.T) {
	for _, where := range []string{"Doer", "Body", "UnmarshalJSON", "Next", "Logger"} {
		for abort := range aborts {
			for _, ahead := range []int{0, 1, 3} {
				for way, read := range ways {
					bubble(t, func(t *testing.T) {
						what := fmt.Sprintf("%s in %s, %s, %d ahead", abort, where, way, ahead)
						s := newAborter(abort, where)
						p := s.pager(t, &pager.Options{ReadAhead: ahead})
						var got []abortingNumber
						var err error
						require.Equal(t, abort, outcome(func() { err = read(t.Context(), p, &got) }), what)
						require.NoError(t, err, what)
						require.Equal(t, []abortingNumber{0, 1}, got, what)
						require.ErrorIs(t, s.last.Err(), context.Canceled, what)
						require.NoError(t, read(t.Context(), p, &got), what)
						require.Equal(t, []abortingNumber{0, 1, 2, 3, 4, 5}, got, what)
					})
				}
			}
		}
	}
}

// If reading a page ahead panics, but the loop ends before it needs that page, the panic surfaces
// when the loop ends. The pager keeps the pages that were read before.
func TestPanicSurfacesWhenLoopEnds(t *testing.T) {
	for abort := range aborts {
		bubble(t, func(t *testing.T) {
			s := numbers(4)
			s.replies["/widgets?page=2"] = append([]string{`200 {"value": ["` + abort + `"]}`}, s.replies["/widgets?page=2"]...)
			p := newPager[abortingNumber](t, s, &pager.Options{ReadAhead: 3})
			var got []abortingNumber
			require.Equal(t, abort, outcome(func() {
				for page, err := range p.Pages(t.Context()) {
					if got = append(got, page.Items...); err == nil {
						synctest.Wait()
					}
					break
				}
			}))
			require.Len(t, s.requests(), 3)
			rest, err := items(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, []abortingNumber{0, 1, 2, 3, 4, 5, 6, 7}, append(got, rest...))
			require.Len(t, s.requests(), 5, "the pager must request only the page that panicked again")
		})
	}
}

// If the loop body recovers from a panic in NextPage, the loop can continue. The panic surfaces
// only once.
func TestLoopContinuesAfterPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newAborter("panic", "Doer")
		p := s.pager(t, &pager.Options{ReadAhead: 2})
		var got []abortingNumber
		var canceled error
		require.Equal(t, "returned", outcome(func() {
			for page, err := range p.Pages(t.Context()) {
				if got = append(got, page.Items...); err != nil || canceled != nil {
					continue
				}
				func() {
					defer func() { _, canceled = recover(), s.last.Err() }()
					_, _ = p.NextPage(t.Context())
				}()
			}
		}))
		require.ErrorIs(t, canceled, context.Canceled)
		require.Equal(t, []abortingNumber{0, 1, 2, 3, 4, 5}, got)
	})
}

// If reading ahead calls runtime.Goexit and the loop body then panics, the caller sees the loop
// body's panic. If reading ahead panics, the caller sees that panic instead.
func TestPanicInLoopIsNotHidden(t *testing.T) {
	for abort, want := range map[string]string{"panic": "panic", "Goexit": "the loop's"} {
		bubble(t, func(t *testing.T) {
			p := newAborter(abort, "Doer").pager(t, &pager.Options{ReadAhead: 1})
			require.Equal(t, want, outcome(func() {
				for _, err := range p.Pages(t.Context()) {
					if err == nil {
						synctest.Wait()
						panic("the loop's")
					}
				}
			}))
			got, err := items(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, []abortingNumber{2, 3, 4, 5}, got)
		})
	}
}

// If a panic interrupts the read of the last page that MaxPages allows, that page can still be
// read.
func TestPanicAtMaxPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		p := pager.New[int](newRequest(t, http.MethodGet, list, ""), fakes.Client(numbers(2)), &pager.Options{
			MaxPages: 2,
			Next: func(page pager.Page[json.RawMessage]) (*http.Request, error) {
				if calls++; calls == 2 {
					panic(boom)
				}
				if page.NextLink == "" {
					return nil, nil
				}
				return http.NewRequestWithContext(context.Background(), http.MethodGet, page.NextLink, http.NoBody)
			},
		})
		_, err := p.NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, "panic", outcome(func() { _, _ = p.NextPage(t.Context()) }))
		_, err = p.NextPage(t.Context())
		require.NoError(t, err)
		require.False(t, p.More())
	})
}
