package transport_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/transport"
)

func TestRefusedToken(t *testing.T) {
	tests := []struct {
		name    string
		answers []int
		retries int
		want    int
		auth    []string
	}{
		{"once", []int{401, 200}, 3, 200, []string{"t1", "t2"}},
		{"twice", []int{401, 401}, 3, 401, []string{"t1", "t2"}},
		{"not counted among the retries", []int{401, 503, 503, 503, 503}, 3, 503, []string{"t1", "t2", "t2", "t2", "t2"}},
		{"even without retries", []int{401, 200}, -1, 200, []string{"t1", "t2"}},
		{"once in an exchange", []int{503, 401, 503, 401, 200}, 3, 401, []string{"t1", "t1", "t2", "t2"}},
		{"a 403 is returned", []int{403}, 3, 403, []string{"t1"}},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base, c := play(), &credential{}
			for _, code := range tt.answers {
				base.answers = append(base.answers, answer{status: code, header: "Retry-After: 0"})
			}
			tr := transport.New(&transport.Options{Base: base, Token: c.token, Retries: tt.retries})
			code, err := do(tr, request(t, t.Context(), "PUT", statuses, io.MultiReader(strings.NewReader("x"))))
			require.NoError(t, err)
			require.Equal(t, tt.want, code, tt.name)
			var want []string
			for _, token := range tt.auth {
				want = append(want, "Bearer "+token)
			}
			require.Equal(t, want, base.auth, tt.name)
			require.Zero(t, time.Since(base.start))

			if tt.want == 401 { // the service also rejected the second token, so the Transport must fetch another
				base.answers = []answer{{status: 200}}
				_, err = get(t, t.Context(), tr, statuses)
				require.NoError(t, err)
				require.Equal(t, "Bearer t3", base.auth[len(base.auth)-1], tt.name)
			}
		})
	}
}

// If a late 401 rejects a token that has already been replaced, the Transport keeps the new token.
func TestLateRefusalKeepsNewerToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &credential{}
		var mu sync.Mutex
		var slow bool
		tr := c.transport(trip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			wait := !slow
			slow = true
			mu.Unlock()
			if wait {
				time.Sleep(10 * time.Second)
			}
			if r.Header.Get("Authorization") == "Bearer t1" {
				return response(answer{status: 401}), nil
			}
			return response(answer{status: 200}), nil
		}))
		for range 2 {
			go func() {
				code, err := get(t, t.Context(), tr, statuses)
				assert.NoError(t, err)
				assert.Equal(t, 200, code)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		require.Equal(t, 2, c.count())
	})
}

// After a 401, the Transport repeats a request once, even if the caller allows no pauses. With
// Settings.Reauthorizes, it returns the 401, because the caller repeats the request.
func TestRefusedTokenWithoutPauses(t *testing.T) {
	ctx := transport.WithLongestPause(t.Context(), 0)
	w := *exchange.SettingsOf(ctx)
	w.Reauthorizes = true
	for _, tt := range []struct {
		ctx  context.Context
		want int
	}{{ctx, 200}, {exchange.WithSettings(ctx, w), 401}} {
		base, c := play(answer{status: 401, body: "why"}, answer{status: 200}), &credential{}
		tr := c.transport(base)
		code, err := get(t, tt.ctx, tr, statuses)
		require.NoError(t, err)
		require.Equal(t, tt.want, code)
		_, err = get(t, tt.ctx, tr, statuses)
		require.NoError(t, err)
		require.Equal(t, []string{"Bearer t1", "Bearer t2"}, base.auth[:2], "the Transport must discard the rejected token in any case")
	}
}

func TestUnauthorizedWithoutToken(t *testing.T) {
	base := play(answer{status: 401})
	calls := 0
	tr := transport.New(&transport.Options{Base: base, Authorize: func(*http.Request) error { calls++; return nil }})
	code, err := get(t, t.Context(), tr, statuses)
	require.NoError(t, err)
	require.Equal(t, 401, code)
	require.Equal(t, 1, calls)
}
