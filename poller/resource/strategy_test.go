package resource_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/house"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

const target = "https://api.example.test/v1/servers/s1"

// put calls Step with the response to a PUT and then with the response to the next read, and
// returns both Moves.
func put(t *testing.T, r resource.Strategy, first, next string) (begun, read strategy.Move) {
	t.Helper()
	a := strategy.Answer{First: true, Method: http.MethodPut, Target: target, URL: target, Code: 202, Body: []byte(first)}
	begun, err := r.Step(a)
	require.NoError(t, err)
	a.First, a.Code, a.Memo, a.Body = false, 200, begun.Memo, []byte(next)
	read, err = r.Step(a)
	require.NoError(t, err)
	return begun, read
}

// If a resource is removed while it is being created, the creation ends as Canceled, with the
// resource's errors.
func TestRemovedHasErrors(t *testing.T) {
	r := resource.Strategy{Removed: []string{"deleting"}}
	_, mv := put(t, r, `{}`, `{"status":"deleting","errors":[{"code":"quota"}]}`)
	require.Equal(t, strategy.Canceled, mv.Status.State)
	require.Equal(t, "quota", mv.Status.Detail.Code)
}

// Cancel returns a DELETE only if the last response allows it and the polled URL is the URL of the
// first request.
func TestCancel(t *testing.T) {
	r := resource.Strategy{CancelPath: "run", Cancelable: "/cancelable"}
	begun, read := put(t, r, `{"status":"x"}`, `{"status":"y","cancelable":false}`)
	for _, tt := range []struct {
		name         string
		mv           strategy.Move
		target, poll string
		want         string
	}{
		{"cancelable", begun, target, target, target + "/run"},
		{"no longer cancelable", read, target, target, ""},
		{"another URL", begun, target, "https://api.example.test/v1/servers/s2", ""},
		{"no URL", begun, "", "", ""},
	} {
		req, err := r.Cancel(strategy.Answer{Method: http.MethodPut, Target: tt.target, Poll: tt.poll, Memo: tt.mv.Memo})
		require.NoError(t, err, tt.name)
		if tt.want == "" {
			require.Nil(t, req, tt.name)
			continue
		}
		require.Equal(t, http.MethodDelete, req.Method, tt.name)
		require.Equal(t, tt.want, req.URL, tt.name)
	}
}

// After a POST, the resource's URL is the first of these that is not blank: the member that Href
// names, Location, Content-Location, the member "href".
func TestURLAfterPost(t *testing.T) {
	for _, tt := range []struct{ body, location, contentLocation, want string }{
		{`{"url":"/a","href":"/b"}`, "/c", "/d", "/a"},
		{`{"href":"/b"}`, " /c ", "/d", "/c"},
		{`{"href":"/b"}`, " ", "/d", "/d"},
		{`{"href":"/b"}`, "", "", "/b"},
	} {
		header := http.Header{"Location": {tt.location}, "Content-Location": {tt.contentLocation}}
		a := strategy.Answer{First: true, Method: http.MethodPost, Target: target, URL: target, Code: 202, Header: header, Body: []byte(tt.body)}
		mv, err := resource.Strategy{Href: "/url"}.Step(a)
		require.NoError(t, err)
		require.Equal(t, "https://api.example.test"+tt.want, mv.Poll)
	}
}

// Setting a field to its documented default has the same effect as leaving it empty.
func TestDefaults(t *testing.T) {
	moves := func(r resource.Strategy) (all []strategy.Move) {
		body := []byte(`{"status":"completed","href":"/b","progress_percent":40,"poll_after":5}`)
		for _, method := range []string{http.MethodPut, http.MethodPost, http.MethodDelete} {
			a := strategy.Answer{First: true, Method: method, Target: target, URL: target, Code: 202, Body: body}
			begun, err := r.Step(a)
			require.NoError(t, err)
			a.First, a.Code, a.Memo = false, 200, begun.Memo
			read, err := r.Step(a)
			require.NoError(t, err)
			all = append(all, begun, read)
		}
		return all
	}
	var fields []string
	zero := moves(resource.Strategy{})
	house.EachDefault(t, ".", func(name string, r *resource.Strategy) {
		require.Equal(t, zero, moves(*r), name)
		fields = append(fields, name)
	})
	require.Equal(t, []string{"Strategy.Status", "Strategy.Href", "Strategy.Percent", "Strategy.After"}, fields)
}
