package quirks_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/internal/engine"
	"github.com/lro-go/lro/fakes/quirks"
)

// failingReply starts an operation that fails, polls it twice, and returns the response to the
// second poll. If the response to the PUT contains no URL to poll, failingReply reads the resource
// instead.
func failingReply(t *testing.T, svc *fakes.Service, path string) reply {
	t.Helper()
	c := newTester(t, svc)
	started := c.do(http.MethodPut, path, "{}")
	require.Contains(t, []int{201, 202}, started.code)
	status := cmp.Or(started.header.Get("Azure-AsyncOperation"), started.header.Get("Location"), path)
	require.Contains(t, []int{200, 202}, c.get(status).code)
	return c.get(status)
}

// Each W41 quirk reports a failure as a 200 with the state Failed, or as a 409 without that state.
func TestErrorFormats(t *testing.T) {
	formats := 0
	for _, q := range quirks.All() {
		if !strings.HasPrefix(string(q), "W41/") {
			continue
		}
		formats++
		svc := &fakes.Service{Default: atOnce}
		svc.Quirk(q, "")
		for range 2 { // the second PUT restarts the conversation
			r := failingReply(t, svc, "/widgets/w1")
			if r.code == 409 {
				require.NotEqual(t, "Failed", r.status(), q)
			} else {
				require.Equal(t, "200 Failed", fmt.Sprint(r.code, " ", r.status()), q)
			}
		}
	}
	require.Equal(t, 26, formats)
}

// An error that is not JSON has the real service's Content-Type. The HTML page is truncated.
func TestNonJSONErrors(t *testing.T) {
	for name, want := range map[quirks.Quirk]string{
		"W41/html": "text/html; charset=utf-8", "W41/text": "text/plain; charset=utf-8", "W41/empty": "",
	} {
		svc := &fakes.Service{}
		svc.Quirk(name, widget)
		r := failingReply(t, svc, widget)
		require.Equal(t, want, r.header.Get("Content-Type"), name)
		if name == "W41/html" {
			require.Contains(t, r.body, "<title>Runtime Error</title>")
			require.NotContains(t, r.body, "</body>")
		}
	}
}

// A transcript answers only requests for resources that have its quirk turned on. Other requests
// reach the service.
func TestTranscriptAndService(t *testing.T) {
	svc := &fakes.Service{Default: synchronous}
	svc.Quirk(quirks.Quirk("W13"), widget)
	c := newTester(t, svc)
	require.Equal(t, 204, c.do(http.MethodDelete, widget+"2", "").code)
	require.Equal(t, 201, c.do(http.MethodPut, widget+"2", "{}").code)
	require.Equal(t, 200, c.get(widget+"2").code)
	for range 2 {
		r := c.do(http.MethodPut, widget, "{}")
		require.Equal(t, 201, r.code)
		require.JSONEq(t, `{"id":"`+widget+`","name":"w1","type":"widgets","properties":{"size":1}}`, r.body)
		require.Equal(t, 405, c.get(widget).code)
		require.Equal(t, 405, c.get(widget).code, "a transcript must repeat its last response")
	}
	require.Equal(t, 405, svc.Requests()[5].StatusCode, "the log must contain the recorded responses")
}

// A transcript applies to every resource at or below the quirk's path, and each resource has its
// own conversation.
func TestTranscriptOfAllResources(t *testing.T) {
	for _, path := range []string{"", "/widgets", "/WIDGETS/"} {
		svc := &fakes.Service{}
		svc.Quirk(quirks.Quirk("W41/html"), path)
		c := newTester(t, svc)
		paths := []string{"/widgets/a", "/widgets/b%20%22/parts/c", "/widgets/d"}
		for _, path := range paths {
			require.Equal(t, 202, c.do(http.MethodPut, path, "{}").code)
		}
		for _, want := range []int{202, 409} {
			for _, path := range paths {
				_, name := engine.Cut(path)
				require.Equal(t, want, c.get("/operations/"+name+"-W41-html").code, path)
			}
		}
	}
}

// In W5, Location is the request's own URL. In W14, it is only the path of that URL.
func TestLocationOfRequest(t *testing.T) {
	for name, want := range map[quirks.Quirk]string{"W5": "https://a.test/w/1?api-version=1", "W14": "/w/1"} {
		svc := &fakes.Service{}
		svc.Quirk(name, "/w/1")
		r := newTester(t, svc).do(http.MethodPut, host+"/w/1?api-version=1", "{}")
		require.Equal(t, 201, r.code)
		require.Equal(t, want, r.header.Get("Location"))
		require.Empty(t, r.status())
	}
}

// ByName finds every quirk by name and rejects other names. Every quirk has a one-line description.
func TestByName(t *testing.T) {
	all := quirks.All()
	require.Len(t, all, 108)
	require.IsIncreasing(t, all)
	for _, q := range all {
		found, ok := quirks.ByName(string(q))
		require.True(t, ok)
		require.Equal(t, q, found)
		require.NotEmpty(t, q.About(), q)
		require.NotContains(t, q.About(), "\n")
	}
	_, ok := quirks.ByName("W0")
	require.False(t, ok)
	require.Empty(t, quirks.Quirk("W0").About())
}

// Two services with the same quirk do not share counters.
func TestSeparateCounters(t *testing.T) {
	for _, q := range quirks.All() {
		var seen []string
		for range 2 {
			svc := &fakes.Service{Default: atOnce}
			svc.Quirk(q, "")
			c := newTester(t, svc)
			text := ""
			for _, method := range []string{"PUT", "GET", "GET", "DELETE", "GET", "GET", "PUT"} {
				r := c.do(method, "/w/1", "{}")
				text += fmt.Sprintln(r.code, r.status(), r.header["Location"], r.header["Retry-After"])
			}
			seen = append(seen, text)
		}
		require.Equal(t, seen[0], seen[1], q)
	}
}
