package poller_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// TestNoSecretIsShown follows one operation for each kind of ending. The URLs are signed, and
// nothing that a user may print or log may contain the signature.
func TestNoSecretIsShown(t *testing.T) {
	const signed = "?api-version=1&sig=S3CRET"
	const location = "202\nLocation: " + origin + monitor + signed
	const async = "202\nAzure-AsyncOperation: " + origin + monitor + signed + "\nLocation: https://u:S3CRET@evil.test/r" + signed
	echo := `{"error":{"code":"C","message":"GET ` + origin + monitor + signed + ` with Bearer S3CRET failed","target":"/x` + signed + `"}}`
	for name, script := range map[string]map[string][]reply{
		"refused":        {"POST " + resource: {location}, get(monitor): {"403 " + echo}},
		"failed":         {"POST " + resource: {location}, get(monitor): {"409 " + echo}},
		"gone":           {"POST " + resource: {location}, get(monitor): {"404 <html><p>Cannot GET " + monitor + signed + "</p></html>"}},
		"drop":           {"POST " + resource: {location}, get(monitor): {"drop"}},
		"not JSON":       {"POST " + resource: {location}, get(monitor): {"200 oops " + signed}},
		"foreign result": {"POST " + resource: {async}, get(monitor): {succeeded}},
		"unfollowable":   {"POST " + resource: {"202\nLocation: https://u:S3CRET@evil.test/" + signed}},
		"redirected":     {"POST " + resource: {location}, get(monitor): {"302\nLocation: https://u:S3CRET@evil.test/" + signed}},
		"result":         {"POST " + resource: {async[:len(async)-len("https://u:S3CRET@evil.test/r"+signed)] + origin + "/result" + signed}, get(monitor): {succeeded}, get("/result"): {"400 " + echo}},
		"a word":         {"POST " + resource: {accepted}, get(monitor): {`200 {"status":"See https://h.test/x?sig=S3CRET"}`, "403"}},
		"a path":         {"POST " + resource: {accepted}, get(monitor): {`403 {"error":{"message":"GET /operations/op1?S3CRET failed"}}`}},
		"canceled":       {"POST " + resource: {location}, get(monitor): {"202"}},
		"unconfirmed":    {"POST " + resource: {async}, get(monitor): {`200 {"status":"Succeeded"}`}, get(resource): {"403 " + echo}},
		"cross-checked":  {"POST " + resource: {location}, get(monitor): {"410"}, get(resource): {"500 " + echo}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var logged bytes.Buffer
				opts := &poller.Options{
					Header:        http.Header{"Authorization": {"Bearer S3CRET"}},
					Logger:        slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
					Patience:      poller.Patience{Time: -1, Failures: 3},
					CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel" + signed}, nil },
				}
				switch name {
				case "unconfirmed":
					opts.Strategy = poller.Confirm(nil, poller.Check{URL: resource + signed, Delay: time.Minute})
				case "cross-checked":
					opts.Strategy = poller.CrossCheck(nil, poller.Check{URL: resource + signed})
				}
				s := serve(script)
				p, err := poller.Begin[raw](newRequest(t, "POST", resource+signed), s.client(), opts)
				values := []any{err, opts, *opts}
				if err == nil {
					if name == "canceled" {
						values = append(values, p.Cancel(t.Context()))
					} else {
						for st, err := range p.Updates(t.Context()) {
							values = append(values, st, &st, err, st.Detail)
						}
						_, err = p.Result(t.Context())
						values = append(values, err)
					}
					values = append(values, p, p.Status())
				}
				values = append(values,
					strategy.Answer{URL: origin + signed, Header: opts.Header, Body: raw(echo)},
					strategy.Move{Poll: origin + signed, Result: strategy.Result{URL: origin + signed}, Memo: raw(echo)},
					strategy.Result{Body: raw(echo)}, poller.Request{URL: "/cancel" + signed},
					poller.Check{URL: origin + signed}, &poller.Check{URL: "/x" + signed},
				)
				for _, v := range values {
					for _, format := range []string{"%v", "%+v", "%s"} {
						require.NotContains(t, fmt.Sprintf(format, v), "S3CRET", "%T", v)
					}
				}
				require.NotContains(t, logged.String(), "S3CRET")
				if len(s.requests()) > 1 && name != "canceled" {
					require.Contains(t, logged.String(), monitor, "the log must have a record of each read")
				}
			})
		})
	}
}

// Printing a strategy from Confirm or CrossCheck does not reveal the query of the check's URL.
func TestNoSecretInWrappers(t *testing.T) {
	const signed = "/x?sig=S3CRET"
	for _, s := range []poller.Strategy{
		poller.Confirm(nil, poller.Check{URL: signed}), poller.CrossCheck(nil, poller.Check{URL: signed}),
		poller.Confirm(poller.CrossCheck(nil, poller.Check{URL: signed}), poller.Check{}),
	} {
		for _, format := range []string{"%v", "%+v", "%s"} {
			require.NotContains(t, fmt.Sprintf(format, s), "S3CRET")
		}
	}
}
