package wire_test

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// keeping is a Doer that keeps the requests it is given.
func keeping(kept *[]*http.Request) doer {
	return func(req *http.Request) (*http.Response, error) {
		*kept = append(*kept, req)
		return &http.Response{StatusCode: http.StatusNoContent}, nil
	}
}

// What Get sends is what http.NewRequest makes of the same URL, and the headers: the
// later ones of two that name the same.
func TestGetIsAsNewRequestHasIt(t *testing.T) {
	for _, raw := range []string{opURL, "https://a.test:/x", "https://[::1]:8443/x%2Fy?z#f", "http://[::1]/"} {
		want, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, http.NoBody)
		require.NoError(t, err)
		want.Header = http.Header{"Accept": {"application/json"}, "X-A": {"1"}, "X-B": {"3", "4"}}
		var kept []*http.Request
		u := parse(t, raw)
		ans, err := wire.Get(t.Context(), keeping(&kept), wire.Origins{}, *u, limit(10),
			http.Header{"X-A": {"1"}, "x-b": {"2"}}, nil, http.Header{"X-B": {"3", "4"}})
		require.NoError(t, err)
		require.Equal(t, want.URL, ans.URL)
		require.Equal(t, parse(t, raw), u, "that of the caller stays")
		want.GetBody = nil
		require.Equal(t, want, kept[0].WithContext(t.Context()))
	}
}

// What a Doer makes of one request is in no other.
func TestGetSharesNothing(t *testing.T) {
	more := http.Header{"x-a": {"1", "2"}}
	for range 2 {
		_, err := wire.Get(t.Context(), doer(func(req *http.Request) (*http.Response, error) {
			require.Equal(t, http.Header{"Accept": {"application/json"}, "X-A": {"1", "2"}}, req.Header)
			for name, values := range req.Header {
				values[0] = "spoilt"
				req.Header.Add(name, "more")
			}
			req.URL.Host = "spoilt.test"
			return &http.Response{StatusCode: http.StatusNoContent}, nil
		}), wire.Origins{}, *parse(t, opURL), limit(10), more)
		require.NoError(t, err)
	}
	to := http.Header{}
	wire.AddMissing(to, more)
	to["X-A"][0] = "spoilt"
	require.Equal(t, http.Header{"x-a": {"1", "2"}}, more)
}

// It polls, and is redirected to its origins alone.
func TestGetIsMarked(t *testing.T) {
	var kept []*http.Request
	allowed := origins(t, "https://a.test", "https://b.test")
	_, err := wire.Get(t.Context(), keeping(&kept), allowed, *parse(t, opURL), limit(10))
	require.NoError(t, err)
	require.Equal(t, 5*time.Second, transport.LongestPause(kept[0].Context()))
	for to, ok := range map[string]bool{"https://b.test/x": true, "https://c.test/x": false, "http://a.test/x": false} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/ops/7" {
				http.Redirect(w, r, to, http.StatusFound)
			}
		})
		_, err := wire.Get(t.Context(), wire.GuardMarked(fakes.Client(h)), allowed, *parse(t, opURL), limit(10))
		require.Equal(t, ok, err == nil, "%s: %v", to, err)
	}
}

// Its context ends with the time, and with the answer.
func TestGetEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := wire.Get(t.Context(), doer(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}), wire.Origins{}, *parse(t, opURL), wire.Limit{Bytes: 10, Time: 7 * time.Second})
		require.IsType(t, &wire.TimeError{}, statusError(t, err).Err)
		require.Equal(t, 7*time.Second, time.Since(began))

		var kept []*http.Request
		_, err = wire.Get(t.Context(), keeping(&kept), wire.Origins{}, url.URL{Scheme: "https", Host: "a.test"}, limit(10))
		require.NoError(t, err)
		require.Error(t, kept[0].Context().Err(), "who keeps the request holds nothing that goes on")
	})
}
