package fakes_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

func TestConflicts(t *testing.T) {
	starts := map[string][2]string{
		"create": {"PUT", "/widgets/new"},
		"update": {"PUT", "/widgets/w1"},
		"patch":  {"PATCH", "/widgets/w1"},
		"delete": {"DELETE", "/widgets/w1"},
		"action": {"POST", "/widgets/w1/start"},
	}
	tests := []struct {
		running, method, path string
		code                  int
	}{
		{"create", "PUT", "/widgets/new", 409},
		{"create", "PATCH", "/widgets/NEW", 409},
		{"create", "POST", "/widgets/new/start", 409},
		{"create", "DELETE", "/widgets/new", 202},
		{"create", "PUT", "/widgets/new/parts/p", 201},
		{"update", "PUT", "/widgets/w1", 409},
		{"update", "DELETE", "/widgets/w1", 202},
		{"patch", "PATCH", "/widgets/w1", 409},
		{"patch", "DELETE", "/widgets/w1", 202},
		{"delete", "DELETE", "/widgets/w1", 409},
		{"delete", "PUT", "/widgets/w1", 409},
		{"delete", "POST", "/widgets/w1/start", 409},
		{"action", "POST", "/widgets/w1/start", 409},
		{"action", "POST", "/widgets/w1/stop", 202},
		{"action", "GET", "/widgets/w1", 200},
	}
	for _, tt := range tests {
		t.Run(tt.running+" "+tt.method+" "+tt.path, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Put("/widgets/w1", struct{}{})
			c := newTester(t, svc)
			c.do(starts[tt.running][0], starts[tt.running][1], "{}")
			r := c.do(tt.method, tt.path, "{}")
			require.Equal(t, tt.code, r.code, r.body)
			if tt.code == 409 {
				require.Equal(t, "Conflict", r.header.Get("X-Ms-Error-Code"))
			}
		})
	}
}

// A DELETE supersedes a creation in progress. The creation ends as Canceled, with an error that
// says why.
func TestSuperseded(t *testing.T) {
	for _, style := range []fakes.Style{fakes.AzureAsyncOperation, fakes.Location} {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Method: "PUT", Style: style})
		c := newTester(t, svc)
		c.do("PUT", widget, "{}")
		require.Equal(t, 202, c.do("DELETE", widget, "").code)
		r := c.get(statusURL)
		require.Equal(t, "Canceled", r.status())
		require.Contains(t, r.body, `"error":{"code":"Canceled","message":"This operation was superseded by another"}`)
		require.Equal(t, "Deleting", c.get(widget).status())
		require.True(t, svc.Finish(widget))
		require.Equal(t, 404, c.get(widget).code)
	}
}

func TestDelete(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Synchronous}}
	svc.Put("/widgets/w1", struct{}{})
	svc.Put("/widgets/w1/parts/p", struct{}{})
	svc.Put("/widgets/w10", struct{}{})
	c := newTester(t, svc)
	require.Equal(t, 204, c.do("DELETE", "/Widgets/W1", "").code)
	require.Equal(t, 404, c.get("/widgets/w1/parts/p").code, "a DELETE must also delete the resources below")
	require.Equal(t, 200, c.get("/widgets/w10").code)
	require.Equal(t, 204, c.do("DELETE", "/widgets/w1", "").code, "deleting a missing resource must not be an error")
}

// Deleting a resource also deletes the resources below it, even if no client polls.
func TestDeleteIncludesChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
		svc.Put("/widgets/w1", struct{}{})
		svc.Put("/widgets/w1/parts/p", struct{}{})
		c := newTester(t, svc)
		require.Equal(t, 202, c.do("DELETE", "/widgets/w1", "").code)
		require.Equal(t, 200, c.get("/widgets/w1/parts/p").code)
		time.Sleep(time.Hour)
		require.Equal(t, 404, c.get("/widgets/w1/parts/p").code)
		require.Equal(t, `{"value":[]}`, c.get("/widgets").body)
	})
}

func TestDeleteFails(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed, Polls: -1}}
	svc.Put(widget, struct{}{})
	c := newTester(t, svc)
	c.do("DELETE", widget, "")
	require.Equal(t, "Failed", c.get(statusURL).status())
	require.Equal(t, "Failed", c.get(widget).status())
}

func TestCancel(t *testing.T) {
	path, _, _ := strings.Cut(statusURL, "?")
	tests := map[string]struct {
		cancel      func(tester, *fakes.Service) int
		first, late int
	}{
		"POST":   {func(c tester, _ *fakes.Service) int { return c.do("POST", path+"/cancel"+query, "").code }, 202, 409},
		"DELETE": {func(c tester, _ *fakes.Service) int { return c.do("DELETE", statusURL, "").code }, 204, 204},
		"by ID":  {func(_ tester, svc *fakes.Service) int { return count(svc.Cancel(first)) }, 1, 0},
		"by path": {func(_ tester, svc *fakes.Service) int {
			return count(svc.Cancel("/SUBSCRIPTIONS/" + strings.TrimPrefix(widget, "/subscriptions/")))
		}, 1, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := &fakes.Service{}
			c := newTester(t, svc)
			c.do("PUT", widget, "{}")
			require.Equal(t, "Accepted", c.get(statusURL).status())
			require.Equal(t, tt.first, tt.cancel(c, svc))
			require.Equal(t, "Canceled", c.get(statusURL).status())
			require.Equal(t, "Canceled", c.get(widget).status())
			require.Equal(t, tt.late, tt.cancel(c, svc), "an operation that has ended cannot be canceled again")
			require.Equal(t, 405, c.do("PATCH", statusURL, "").code)
		})
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestUnknownStatusURL(t *testing.T) {
	svc := &fakes.Service{}
	c := newTester(t, svc)
	c.do("PUT", widget, "{}")
	for _, path := range []string{
		"/subscriptions/other/providers/Microsoft.Contoso/operationsStatuses/" + first,
		"/operationsStatuses/" + first,
		scope + "/operationsStatuses/00000000-0000-4000-8000-000000000002",
	} {
		require.Equal(t, 404, c.get(path).code, "an unknown operation must get a 404")
	}
	require.Equal(t, 200, c.get(strings.Replace(statusURL, "operationsStatuses", "OPERATIONSSTATUSES", 1)).code)
}

func TestWrite(t *testing.T) {
	tests := map[string]struct {
		method, path, body string
		code               int
		want               string
	}{
		"put":                     {"PUT", "/widgets/w1", `{"a":1}`, 200, `"a":1,"id":"/widgets/w1"`},
		"put without body":        {"PUT", "/widgets/w1", ``, 200, `{"id":`},
		"put unchanged state":     {"PUT", "/widgets/w1", `{"properties":{"provisioningState":"Succeeded"}}`, 200, `"provisioningState":"Succeeded"`},
		"put another state":       {"PUT", "/widgets/w1", `{"properties":{"provisioningState":"Failed"}}`, 400, "provisioningState is read-only."},
		"put invalid JSON":        {"PUT", "/widgets/w1", `{`, 400, "InvalidRequestContent"},
		"put array":               {"PUT", "/widgets/w1", `[]`, 400, "not a JSON object"},
		"put two objects":         {"PUT", "/widgets/w1", `{}{}`, 400, "more than one value"},
		"put nested path":         {"PUT", "/a/b/c", `{}`, 201, `"type":"a/c"`},
		"patch":                   {"PATCH", "/widgets/w1", `{"tags":{"a":null,"c":{"d":1,"e":null}},"b":[1]}`, 200, `"b":[1],"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded"},"tags":{"b":"2","c":{"d":1}}`},
		"patch missing resource":  {"PATCH", "/widgets/w2", `{}`, 404, "ResourceNotFound"},
		"act on missing resource": {"POST", "/widgets/w2/start", ``, 404, "/widgets/w2"},
		"act":                     {"POST", "/widgets/w1/start", ``, 204, ""},
		"act on a subscription":   {"POST", "/subscriptions/s/validate", ``, 204, ""},
		"act on a provider":       {"POST", "/subscriptions/s/providers/p/checkName", ``, 204, ""},
		"act on a resource group": {"POST", "/subscriptions/s/resourceGroups/g/export", ``, 204, ""},
		"act on a collection":     {"POST", "/widgets", ``, 204, ""},
		"unknown method":          {"OPTIONS", "/widgets/w1", ``, 405, "MethodNotAllowed"},
		"read":                    {"GET", "/WIDGETS/w1/", ``, 200, `"id":"/widgets/w1"`},
		"read missing resource":   {"GET", "/widgets/w2", ``, 404, `{"error":{"code":"ResourceNotFound","message":"The resource '/widgets/w2' was not found.","target":"/widgets/w2"}}`},
		"head":                    {"HEAD", "/widgets/w1", ``, 200, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Synchronous}}
			svc.Put("/widgets/w1", map[string]any{"tags": map[string]any{"a": "1", "b": "2"}})
			r := newTester(t, svc).do(tt.method, tt.path, tt.body)
			require.Equal(t, tt.code, r.code, r.body)
			require.Contains(t, r.body, tt.want)
		})
	}
}

func TestPut(t *testing.T) {
	svc := &fakes.Service{}
	svc.Put("widgets/w1", map[string]any{"properties": map[string]any{"provisioningState": "Updating"}})
	body, ok := svc.Resource("/Widgets/w1")
	require.True(t, ok)
	require.JSONEq(t, `{"id":"/widgets/w1","name":"w1","type":"widgets","properties":{"provisioningState":"Updating"}}`, string(body))
	require.Panics(t, func() { svc.Put("/x/y", []int{}) })
	require.Panics(t, func() { svc.Put("/x/y", func() {}) })
	_, ok = svc.Resource("/x/y")
	require.False(t, ok)
}

func TestCorrelation(t *testing.T) {
	svc := &fakes.Service{}
	for i, want := range []string{"f0000000-0000-4000-8000-000000000001", "f0000000-0000-4000-8000-000000000002"} {
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/widgets/w1", nil)
		req.Header.Set("X-Ms-Correlation-Request-Id", "c")
		w := httptest.NewRecorder()
		svc.ServeHTTP(w, req)
		require.Equal(t, "c", w.Header().Get("X-Ms-Correlation-Request-Id"))
		require.Equal(t, want, w.Header().Get("X-Ms-Request-Id"), i)
		require.Equal(t, "ResourceNotFound", w.Header().Get("X-Ms-Error-Code"))
	}
}

// Behind an httptest.Server, the URLs in responses have the server's scheme and host.
func TestServiceOverSocket(t *testing.T) {
	svc := &fakes.Service{}
	srv := httptest.NewServer(svc)
	defer srv.Close()
	c := tester{t, srv.Client()}
	r := c.do("PUT", srv.URL+"/widgets/w1?v=1", "{}")
	require.Equal(t, srv.URL+"/operationsStatuses/"+first+"?v=1", r.header.Get("Azure-AsyncOperation"))
	require.Equal(t, "Accepted", c.get(r.header.Get("Azure-AsyncOperation")).status())
	require.Equal(t, srv.URL+"/widgets/w1?v=1", svc.Requests()[0].URL)
}

func TestServiceConcurrently(t *testing.T) {
	svc := &fakes.Service{PageSize: 3}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 5, Times: 5, Do: fakes.Throttle(time.Second)})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			c := newTester(t, svc)
			path := "/widgets/" + string(rune('a'+i%8))
			next := c.do("PUT", path, `{"a":{}}`).header.Get("Azure-AsyncOperation")
			for next != "" && !slices.Contains([]string{"Succeeded", "Canceled"}, c.get(next).status()) {
				c.get(path)
				c.get("/widgets")
				svc.Requests()
				svc.Resource(path)
			}
			c.do("DELETE", path, "")
			svc.Finish(path)
		})
	}
	wg.Wait()
	for _, r := range svc.Requests() {
		require.NotZero(t, r.StatusCode)
		require.NotEqual(t, http.StatusInternalServerError, r.StatusCode)
	}
}
