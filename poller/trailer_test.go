package poller_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A signedBody sets its request's trailer once it has been read to the end.
type signedBody struct {
	io.Reader
	req *http.Request
}

func (b signedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.req.Trailer.Set("X-Digest", "d1")
	}
	return n, err
}

func (signedBody) Close() error { return nil }

// Begin sends the trailer of the first request with an ordinary http.Client and with one from
// transport.NewClient, over HTTP/1 and HTTP/2, and with or without Options.Header.
func TestTrailerOfFirstRequest(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		var got []string
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, r.Method+" "+string(body)+" "+r.Trailer.Get("X-Digest"))
			_, _ = io.WriteString(w, `{"properties":{"provisioningState":"Succeeded"}}`)
		}))
		s.EnableHTTP2 = http2
		s.StartTLS()
		defer s.Close()
		clients := map[string]poller.Doer{
			"http.Client": s.Client(),
			"NewClient":   transport.NewClient(&transport.Options{Base: s.Client().Transport}),
		}
		for name, client := range clients {
			for _, header := range []http.Header{nil, {"X-Extra": {"e"}}} {
				got = nil
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+"/widgets/w1", http.NoBody)
				require.NoError(t, err)
				req.Trailer = http.Header{"X-Digest": nil}
				req.Body = signedBody{strings.NewReader("{}"), req}
				_, err = poller.Begin[raw](req, client, &poller.Options{Header: header})
				require.NoError(t, err)
				require.Equal(t, []string{"PUT {} d1"}, got, "%s, HTTP/2: %t, header: %v", name, http2, header)
			}
		}
	}
}
