package transport_test

import (
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

const idHeader = "X-Ms-Client-Request-Id"

func TestUserAgent(t *testing.T) {
	ours := regexp.MustCompile(`^lro-go/[^\s()]+ \(` + runtime.GOOS + "; " + runtime.GOARCH + "; " + regexp.QuoteMeta(runtime.Version()) + `\)$`)
	const none = "none"
	tests := []struct {
		option, header string
		want           *regexp.Regexp
	}{
		{"", none, ours},
		{"myctl/1.4", none, regexp.MustCompile(`^myctl/1\.4 ` + ours.String()[1:])},
		{"myctl/1.4", "curl/8", regexp.MustCompile("^curl/8$")},
		{"myctl/1.4", "", regexp.MustCompile("^$")}, // if the header is empty, net/http sends no User-Agent
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			sent := 0
			tr := transport.New(&transport.Options{UserAgent: tt.option, Base: trip(func(r *http.Request) (*http.Response, error) {
				sent++
				require.Len(t, r.Header["User-Agent"], 1)
				require.Regexp(t, tt.want, r.Header.Get("User-Agent"))
				return response(answer{status: 503}), nil
			})})
			req := request(t, t.Context(), "GET", statuses, nil)
			if tt.header != none {
				req.Header.Set("User-Agent", tt.header)
			}
			_, err := do(tr, req)
			require.NoError(t, err)
			require.Equal(t, 4, sent)
		})
	}
}

func TestClientRequestID(t *testing.T) {
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for _, theirs := range []string{"", "", "theirs"} {
		synctest.Test(t, func(t *testing.T) {
			answers := []int{503, 401, 500, 200}
			var ids []string
			tr := transport.New(&transport.Options{
				Token:     static("S3CRET"),
				Authorize: func(r *http.Request) error { r.Header.Set("X-Signature", "S3CRET"); return nil },
				Base: trip(func(r *http.Request) (*http.Response, error) {
					require.Len(t, r.Header[idHeader], 1)
					require.Equal(t, "Bearer S3CRET", r.Header.Get("Authorization"))
					ids = append(ids, r.Header.Get(idHeader))
					return response(answer{status: answers[len(ids)-1]}), nil
				}),
			})
			req := request(t, t.Context(), "PUT", statuses, io.MultiReader(strings.NewReader("x")))
			req.Header.Set(idHeader, theirs)
			resp, err := tr.RoundTrip(req)
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, theirs, req.Header.Get(idHeader), "the caller's request must not change")
			id := resp.Request.Header.Get(idHeader)
			require.Equal(t, []string{id, id, id, id}, ids)
			require.False(t, seen[id], "each request has its own ID")
			seen[id] = true
			if theirs != "" {
				require.Equal(t, theirs, id)
			} else {
				require.Regexp(t, uuid, id)
			}
			require.NotContains(t, resp.Request.Header, "Authorization")
			require.NotContains(t, resp.Request.Header, "X-Signature")
		})
	}
}

// If the gate itself responds, the response's Request still has a client request ID.
func TestHeldRequestKeepsClientRequestID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := noRetries(play(throttled("30")))
		sendAll(t, tr, 1)
		resp, err := tr.RoundTrip(request(t, transport.WithLongestPause(t.Context(), 0), "GET", readURL, nil))
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, "30", resp.Header.Get("Retry-After"))
		require.NotEmpty(t, resp.Request.Header.Get(idHeader))
	})
}
