//go:build !race

package poller_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// alive creates several pollers, passes each one to a function, and returns the average number of
// bytes a poller then keeps in memory.
func alive[T any](t *testing.T, s *service, method string, use func(p *poller.Poller[T])) uint64 {
	t.Helper()
	const n = 4
	all := make([]*poller.Poller[T], n)
	client := s.client()
	before := live()
	for i := range all {
		p, err := poller.Begin[T](newRequest(t, method, resource), client, nil)
		require.NoError(t, err)
		use(p)
		all[i] = p
	}
	after := live()
	runtime.KeepAlive(all)
	return (max(after, before) - before) / n
}

// An operation waiting for its next read keeps only a small part of the last response in memory,
// however large it was.
func TestWaitingOperationTextMemory(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 3<<20/16)
	for name, doc := range map[string]string{
		"word":        `200 {"status":"` + long + `"}`,
		"id":          `200 {"status":"Running","id":"` + long + `","name":"` + long + `"}`,
		"message":     `200 {"status":"Running","error":{"code":"C","message":"` + long + `"}}`,
		"innererror":  `200 {"status":"Running","error":{"code":"C","innererror":{"a":"` + long + `"}}}`,
		"addition":    `200 {"status":"Running","error":{"code":"C","additionalInfo":[{"info":"` + long + `"}]}}`,
		"operation":   `200 {"status":"Running","operations":[{"status":"` + long + `","error":{"message":"` + long[1<<20:] + `"}}]}`,
		"failed read": `503 {"error":{"code":"C","message":"` + long + `","innererror":"` + long[1<<20:] + `"}}`,
		"plain text":  `503 ` + long,
		"header":      "503\nX-Ms-Request-Id: " + long[:500<<10],
	} {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {doc}})
		each := alive(t, s, http.MethodPut, func(p *poller.Poller[struct{}]) { _, _ = p.Poll(t.Context()) })
		require.Less(t, each, uint64(64<<10), name)
	}
}

// A finished operation keeps its decoded result in memory. It keeps the body only if the resume
// token must contain it.
func TestFinishedOperationMemory(t *testing.T) {
	body := `{"status":"Succeeded","text":"` + strings.Repeat("0123456789abcdef", 1<<20/16) + `"}`
	small := `{"status":"Succeeded","properties":{"text":"x"}}`
	for name, replies := range map[string]map[string][]reply{
		"from a Location":        {"POST " + resource: {acceptedAt}, get(monitor): {"200 {" + body[22:]}},
		"of a status":            {"POST " + resource: {accepted}, get(monitor): {"200 " + body}},
		"of a first response":    {"POST " + resource: {"200 " + body}},
		"from a URL":             {"POST " + resource: {accepted + "\nLocation: /r"}, get(monitor): {`200 {"status":"Succeeded"}`}, get("/r"): {"200 " + body}},
		"small, of a large body": {"POST " + resource: {accepted}, get(monitor): {"200 " + strings.Repeat(" ", 1<<20) + small}},
	} {
		for _, wait := range []bool{false, true} {
			each := alive(t, serve(replies), http.MethodPost, func(p *poller.Poller[struct{ Status string }]) {
				if wait {
					p.WakeUp()
					_, err := p.PollUntilDone(t.Context())
					require.NoError(t, err)
					return
				}
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
				_, err = p.Result(t.Context())
				require.NoError(t, err)
			})
			require.Less(t, each, uint64(128<<10), "%s, %t", name, wait)
		}
	}
}

// If the result is a small part of a large response, the rest does not stay in memory.
func TestPartialResultMemory(t *testing.T) {
	large := `200 {"status":"Succeeded","text":"` + strings.Repeat("0123456789abcdef", 1<<20/16) + `","properties":{"part":{"a":1}}}`
	part := step(func(a strategy.Answer) (strategy.Move, error) {
		found, _ := a.Lookup("/properties")
		return strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Body: found}}, nil
	})
	for name, opts := range map[string]*poller.Options{
		"of a strategy": {Strategy: part, ResultPointer: "/part"},
		"ResultPointer": {ResultPointer: "/properties/part"},
	} {
		s := serve(map[string][]reply{"POST " + resource: {large}})
		p, err := poller.Begin[raw](newRequest(t, http.MethodPost, resource), s.client(), opts)
		require.NoError(t, err)
		before := live()
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"a":1}`, string(v))
		require.Less(t, live()+900<<10, before, name)
		runtime.KeepAlive(p)
	}
}
