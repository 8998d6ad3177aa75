package pager_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/transport"
)

// A page that may have been cut short must not end the listing. The test uses a real socket to
// control the bytes on the connection.
func TestIncompletePage(t *testing.T) {
	for name, tt := range map[string]struct{ sent, want string }{
		"after its headers":           {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "the body is empty and ends when the connection closes"},
		"after its headers, HTTP/1.0": {"HTTP/1.0 200 OK\r\n\r\n", "the body is empty and ends when the connection closes"},
		"in its body":                 {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"value\":[1", "unexpected end of JSON input"},
		"to a part":                   {"HTTP/1.1 206 Partial Content\r\nContent-Length: 13\r\n\r\n{\"value\":[9]}", "a 206 holds only a part of the body"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests++; requests != 2 {
					_, _ = fmt.Fprintf(w, `{"value":[%d],"nextLink":%q}`, requests, []string{"/2", ""}[requests/3])
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					panic(err)
				}
				defer conn.Close()
				_, _ = fmt.Fprint(conn, tt.sent)
			}))
			defer srv.Close()
			first, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/1", http.NoBody)
			require.NoError(t, err)
			p := pager.New[int](first, transport.NewClient(&transport.Options{Retries: -1}), nil)
			page, err := p.NextPage(t.Context())
			require.NoError(t, err)
			require.Equal(t, []int{1}, page.Items)
			_, err = p.NextPage(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.ErrorContains(t, err, tt.want)
			require.True(t, p.More())
			page, err = p.NextPage(t.Context())
			require.NoError(t, err)
			require.Equal(t, []int{3}, page.Items)
			require.False(t, p.More())
		})
	}
}
