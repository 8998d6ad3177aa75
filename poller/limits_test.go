package poller_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestLimits(t *testing.T) {
	large := `200 {"status":"Succeeded","x":"` + strings.Repeat("x", 2000) + `"}`
	opts := &poller.Options{MaxStatusBytes: 1000, MaxResultBytes: 1500, Patience: poller.Patience{Time: -1}}
	t.Run("of a status", func(t *testing.T) {
		for _, method := range []string{"PUT", "PATCH", "POST", "DELETE"} {
			for _, header := range []string{"Azure-AsyncOperation", "Operation-Location"} {
				bubble(t, func(t *testing.T) {
					s := serve(map[string][]reply{method + " " + resource: {"202\n" + header + ": " + monitor}, get(monitor): {large}})
					_, err := begin(t, s, method, opts).PollUntilDone(t.Context())
					requireWait(t, err, lroerrors.ReasonPatience)
					require.Contains(t, err.Error(), "1000 bytes, the limit of MaxStatusBytes")
				})
			}
		}
	})
	t.Run("of a result", func(t *testing.T) {
		for _, script := range []map[string][]reply{
			{"POST " + resource: {acceptedAt}, get(monitor): {large}},
			{"POST " + resource: {accepted + "\nLocation: /result"}, get(monitor): {succeeded}, get("/result"): {large}},
		} {
			bubble(t, func(t *testing.T) {
				_, err := begin(t, serve(script), "POST", opts).PollUntilDone(t.Context())
				require.Error(t, err)
				require.Contains(t, err.Error(), "1500 bytes, the limit of MaxResultBytes")
			})
		}
	})
	t.Run("a Location may hold a result larger than a status", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			body := `"` + strings.Repeat("x", 1200) + `"`
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 " + body}})
			v, err := begin(t, s, "POST", opts).PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, body, string(v))
		})
	})
	t.Run("of the status URL in an azcore token", func(t *testing.T) {
		body := `"x":"` + strings.Repeat("x", 1200) + `"`
		for what, token := range map[string]string{
			"a status": `{"asyncURL":"` + origin + monitor + `","origURL":"` + origin + resource + `","method":"PUT"}`,
			"a result": `{"type":"loc","pollURL":"` + origin + monitor + `"}`,
			"resource": `{"type":"body","pollURL":"` + origin + monitor + `"}`,
		} {
			bubble(t, func(t *testing.T) {
				wide := *opts
				wide.Origins = []string{origin}
				s := serve(map[string][]reply{get(monitor): {`200 {` + body + `,"status":"Succeeded"}`}, get(resource): {widget}})
				p, err := poller.Resume[raw](token, s.client(), &wide)
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				require.Equal(t, what == "a status", err != nil, what)
			})
		}
	})
	t.Run("a body that never ends", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			doer := roundTrip(func(req *http.Request) (*http.Response, error) {
				resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {"/op"}}, Request: req, Body: http.NoBody}
				if req.Method == http.MethodGet {
					resp.StatusCode, resp.Body = 200, io.NopCloser(endless{})
				}
				return resp, nil
			})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), &http.Client{Transport: doer}, opts)
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonPatience)
		})
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{' '}, len(p)))
	return len(p), nil
}
