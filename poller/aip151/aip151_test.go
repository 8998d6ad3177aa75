package aip151_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/house"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/aip151"
	"github.com/lro-go/lro/poller/strategy"
)

const origin = "https://library.example.test"

type book struct{ Title string }

func TestStep(t *testing.T) {
	tests := []struct {
		name  string
		a     strategy.Answer
		state strategy.State
		err   error
	}{
		{"started", strategy.Answer{First: true, Code: 200, Body: []byte(`{"name":"operations/1"}`)}, strategy.InProgress, nil},
		{"done", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"response":{}}`)}, strategy.Succeeded, nil},
		{"failed", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"error":{"code":13}}`)}, strategy.Failed, nil},
		{"canceled", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","done":true,"error":{"code":1}}`)}, strategy.Canceled, nil},
		{"an error does not end the operation before it is done", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","error":{"code":13}}`)}, strategy.InProgress, nil},
		{"metadata of another form", strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","metadata":[],"done":true,"error":{"code":13}}`)}, strategy.Failed, nil},
		{"a resource with a name", strategy.Answer{First: true, Code: 200, Body: []byte(`{"name":"books/1"}`)}, "", strategy.ErrNotApplicable},
		{"another protocol", strategy.Answer{First: true, Code: 200, Body: []byte(`{"id":"w1"}`)}, "", strategy.ErrNotApplicable},
		{"no name", strategy.Answer{Code: 200, Body: []byte(`{"done":true}`)}, "", strategy.ErrNoStatus},
		{"a refusal", strategy.Answer{Code: 404, Body: []byte(`{"error":{"code":404}}`)}, "", strategy.ErrNoStatus},
		{"a refusal whose body looks like an operation", strategy.Answer{Code: 400, Body: []byte(`{"name":"operations/1","done":true}`)}, "", strategy.ErrNoStatus},
		{"a gateway's error page", strategy.Answer{Code: 400, Body: []byte(`<html>`)}, "", strategy.ErrNotJSON},
	}
	for _, tt := range tests {
		mv, err := aip151.Operation{Base: "/v1/"}.Step(tt.a)
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, tt.state, mv.Status.State, tt.name)
		require.Equal(t, err == nil, mv.Inline, "Inline must be set, because the next response may be a large result")
	}
}

// An error's details become the Detail's InnerError, unchanged.
func TestDetails(t *testing.T) {
	mv, err := aip151.Operation{}.Step(strategy.Answer{Code: 200, Body: []byte(`{"name":"o","done":true,"error":{"code":8,"message":"quota","details":[{"@type":"x"}]}}`)})
	require.NoError(t, err)
	require.Equal(t, &lroerrors.Detail{Code: "8", Message: "quota", InnerError: []byte(`[{"@type":"x"}]`)}, mv.Status.Detail)
}

// An operation's name must become a URL below Base or, without Base, below the first segment of the
// request's path.
func TestURLOfTheOperation(t *testing.T) {
	for _, tt := range []struct{ base, target, name, want string }{
		{"", origin + "/v2/projects/p/services?id=1", "projects/p/operations/1", "/v2/projects/p/operations/1"},
		{"", origin + "/v1/operations/1", "operations/1", "/v1/operations/1"},
		{"/v1/operations/", origin + "/v1/speech:longrunningrecognize", "7612", "/v1/operations/7612"},
		{"/v1/", origin + "/upload/v1/books", "operations/1", "/v1/operations/1"},
		{"", origin + "/v1/books", "operations/a?b#c d", "/v1/operations/a%3Fb%23c%20d"},
		{"", origin + "/v1/books", "databases/(default)/operations/x", "/v1/databases/(default)/operations/x"},
		{"", origin + "/v1/books", "books/1", ""},
		{"", origin + "/v1/books", "operations/../books/1", ""},
		{"", origin + "/v1/books", "operations/", ""},
	} {
		mv, err := aip151.Operation{Base: tt.base}.Step(strategy.Answer{First: true, Code: 200, Target: tt.target, URL: tt.target, Body: []byte(`{"name":"` + tt.name + `"}`)})
		require.Equal(t, tt.want == "", err != nil, "%q: %v", tt.name, err)
		require.Equal(t, tt.want, mv.Poll)
	}
}

// A service may send the progress as a number or as a string, because Protocol Buffers encode
// 64-bit integers as JSON strings.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		pointer, metadata string
		want              any
	}{
		{"", `{"progressPercent":50}`, 50.0},
		{"", `{"progressPercent":"50"}`, 50.0},
		{"/metadata/progress/percent", `{"progress":{"percent":7.5}}`, 7.5},
		{"", `{"progressPercent":101}`, nil},
		{"", `{"progressPercent":-1}`, nil},
		{"", `{"progressPercent":"NaN"}`, nil},
		{"", `{"progressPercent":"half"}`, nil},
		{"", `{}`, nil},
	} {
		mv, err := aip151.Operation{Percent: tt.pointer}.Step(strategy.Answer{Code: 200, Body: []byte(`{"name":"operations/1","metadata":` + tt.metadata + `}`)})
		require.NoError(t, err)
		if tt.want == nil {
			require.Nil(t, mv.Status.PercentComplete, tt.metadata)
			continue
		}
		require.Equal(t, tt.want, *mv.Status.PercentComplete, tt.metadata)
	}
	require.ErrorContains(t, aip151.Operation{Percent: "progress"}.Validate(), "progress")
}

// Setting a field to its documented default must not change anything.
func TestDefaults(t *testing.T) {
	step := func(o aip151.Operation) strategy.Move {
		a := strategy.Answer{
			First: true, Method: "POST", Target: origin + "/v1/books", URL: origin + "/v1/books", Code: 200,
			Body: []byte(`{"name":"operations/1","metadata":{"progressPercent":50}}`),
		}
		mv, err := o.Step(a)
		require.NoError(t, err)
		return mv
	}
	zero := step(aip151.Operation{})
	house.EachDefault(t, ".", func(name string, o *aip151.Operation) { require.Equal(t, zero, step(*o), name) })
	require.Equal(t, zero, step(aip151.Operation{Base: "/v1/"}))
}

// follow starts the operation that prints a book, and returns the operation's poller.
func follow(t *testing.T, s *service, title string) *poller.Poller[book] {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, origin+"/v1/books/"+title, nil)
	require.NoError(t, err)
	p, err := poller.Begin[book](req, fakes.Client(s), &poller.Options{Strategy: aip151.Operation{}})
	require.NoError(t, err)
	return p
}

func TestEndings(t *testing.T) {
	for title, want := range map[string]string{
		"Middlemarch": "",
		"lost":        "lro: operation Failed: 5: the manuscript is lost",
	} {
		synctest.Test(t, func(t *testing.T) {
			s, start := newService(), time.Now()
			b, err := follow(t, s, title).PollUntilDone(t.Context())
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, title, b.Title)
			} else {
				require.EqualError(t, err, want)
			}
			read := "GET /v1/operations/" + title
			require.Equal(t, []string{"POST /v1/books/" + title, read, read, read}, s.asked)
			require.Equal(t, 3*time.Minute, time.Since(start))
		})
	}
}

// A canceled operation ends with the error CANCELLED ("CancelOperation").
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, start := newService(), time.Now()
		p := follow(t, s, "endless")
		require.NoError(t, p.Cancel(t.Context()))
		require.False(t, p.Done())
		_, err := p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		require.Equal(t, []string{"POST /v1/books/endless", "POST /v1/operations/endless:cancel {}", "GET /v1/operations/endless"}, s.asked)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

// Cancel sends a POST only to an operation's URL, even if the token contains another URL.
func TestCancelOnlyOperations(t *testing.T) {
	for url, want := range map[string]bool{
		origin + "/v1/operations/1":              true,
		origin + "/v1/projects/p/operations/1":   true,
		origin + "/v1/books/1":                   false,
		origin + "/v1/operations/../books/1":     false,
		origin + "/v1/operations/%2e%2e/books/1": false,
		origin + "/v1/operations":                false,
		origin + "/v1/operations/1?x=":           false,
		"%":                                      false,
	} {
		req, err := aip151.Operation{}.Cancel(strategy.Answer{Poll: url})
		require.NoError(t, err)
		require.Equal(t, want, req != nil, url)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newService()
		token, err := follow(t, s, "endless").ResumeToken()
		require.NoError(t, err)
		token = strings.ReplaceAll(token, "/v1/operations/endless", "/v1/books/endless")
		p, err := poller.Resume[book](token, fakes.Client(s), &poller.Options{Strategy: aip151.Operation{}, Origins: []string{origin}})
		require.NoError(t, err)
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		require.Equal(t, []string{"POST /v1/books/endless"}, s.asked)
	})
}
