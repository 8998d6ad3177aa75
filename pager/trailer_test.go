package pager_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/pager"
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

// The pager sends the first request's trailer each time it requests the first page, but not with
// requests for later pages.
func TestTrailerOfFirstPage(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		var got []string
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, r.Method+" "+string(body)+" "+r.Trailer.Get("X-Digest"))
			switch len(got) {
			case 1:
				w.WriteHeader(http.StatusBadRequest)
			case 2:
				_, _ = io.WriteString(w, `{"value":[1],"nextLink":"/next"}`)
			default:
				_, _ = io.WriteString(w, `{"value":[2]}`)
			}
		}))
		s.EnableHTTP2 = http2
		s.StartTLS()
		defer s.Close()
		clients := map[string]pager.Doer{
			"http.Client": s.Client(),
			"NewClient":   transport.NewClient(&transport.Options{Base: s.Client().Transport}),
		}
		for name, client := range clients {
			got = nil
			req := newRequest(t, http.MethodPost, s.URL+"/list", "")
			req.Trailer = http.Header{"X-Digest": nil}
			req.GetBody = nil
			req.Body = signedBody{strings.NewReader("{}"), req}
			p := pager.New[int](req, client, nil)
			_, err := p.NextPage(t.Context())
			require.Error(t, err)
			page, err := p.NextPage(t.Context())
			require.NoError(t, err)
			require.Equal(t, []int{1}, page.Items)
			page, err = p.NextPage(t.Context())
			require.NoError(t, err)
			require.Equal(t, []int{2}, page.Items)
			require.Equal(t, []string{"POST {} d1", "POST {} d1", "GET  "}, got, "%s, HTTP/2: %t", name, http2)
		}
	}
}
