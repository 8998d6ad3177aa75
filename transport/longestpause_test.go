package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// If the caller allows no pauses, the Transport retries only after a 401, even if the service asks
// for a pause of zero.
func TestSingleAttempt(t *testing.T) {
	for _, a := range []answer{
		{status: 503, header: "Retry-After: 0"},
		{status: 503},
		{status: 429, header: "Retry-After: 0"},
		{status: 429, header: "Retry-After-Ms: 0"},
		{status: 408},
		{status: 500, header: "Retry-After: 1"},
		{err: errSocket},
	} {
		for _, fresh := range []bool{false, true} { // whether the first response is a 401
			synctest.Test(t, func(t *testing.T) {
				base := play(a)
				want := 1
				if fresh {
					base.answers, want = []answer{{status: 401, header: "Retry-After: 60"}, a}, 2
				}
				c := &credential{}
				ctx := transport.WithLongestPause(t.Context(), 0)
				code, err := do(c.transport(base), request(t, ctx, "PUT", statuses, strings.NewReader("x")))
				require.Equal(t, a.status, code)
				require.ErrorIs(t, err, a.err)
				if err != nil {
					require.Equal(t, want, statusError(t, err).Attempts)
				}
				require.Equal(t, want, base.sent(), "%+v", a)
				require.Equal(t, want, c.count())
				require.Zero(t, time.Since(base.start))
			})
		}
	}
}

func TestPausesUpToLongestPause(t *testing.T) {
	const s = time.Second
	tests := []struct {
		answers []answer
		want    []time.Duration
	}{
		{[]answer{{status: 503, header: "Retry-After: 5"}}, []time.Duration{0, 5 * s, 10 * s, 15 * s}},
		{[]answer{{status: 503, header: "Retry-After: 5.001"}}, []time.Duration{0}},
		{[]answer{{status: 503, header: "Retry-After: 2"}, {status: 503, header: "Retry-After: 6"}}, []time.Duration{0, 2 * s}},
		{[]answer{{status: 401, header: "Retry-After: 60"}, {status: 503, header: "Retry-After: 6"}}, []time.Duration{0, 0}},
		{[]answer{{status: 401}, {status: 500, header: "Retry-After: 4"}, {status: 200}}, []time.Duration{0, 0, 4 * s}},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			base := play(tt.answers...)
			ctx := transport.WithLongestPause(t.Context(), 5*s)
			_, err := get(t, ctx, transport.New(&transport.Options{Base: base, Token: static("t0")}), statuses)
			require.NoError(t, err)
			require.Equal(t, tt.want, base.at, "%+v", tt.answers)
		})
	}
	synctest.Test(t, func(t *testing.T) { // no fourth attempt follows, because the third back-off pause could last 8 s
		base := play(answer{err: errSocket})
		_, err := get(t, transport.WithLongestPause(t.Context(), 5*s), newTransport(base), statuses)
		require.Equal(t, 3, statusError(t, err).Attempts)
		require.Equal(t, 3, base.sent())
	})
}

// The pauses grow with every attempt, including an attempt that gets a 401.
func TestPauseAfter401(t *testing.T) {
	const s = time.Second
	for longest, want := range map[time.Duration]int{3 * s: 2, 4 * s: 3} { // the pause after the second attempt may last up to 4 s
		synctest.Test(t, func(t *testing.T) {
			base := play(answer{status: 401}, answer{status: 503}, answer{status: 200})
			ctx := transport.WithLongestPause(t.Context(), longest)
			_, err := get(t, ctx, transport.New(&transport.Options{Base: base, Token: static("t0")}), statuses)
			require.NoError(t, err)
			require.Equal(t, want, base.sent(), longest)
		})
	}
}

// The Transport calls the Policy only if the caller allows a pause.
func TestPolicyAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		always := func(*http.Request, *http.Response, error) bool { asked++; return true }
		base := play(answer{status: 200, header: "Retry-After: 0"})
		tr := transport.New(&transport.Options{Base: base, Policy: always})
		_, err := get(t, transport.WithLongestPause(t.Context(), 0), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 1, base.sent())
		require.Zero(t, asked)
		_, err = get(t, transport.WithLongestPause(t.Context(), 1), tr, statuses)
		require.NoError(t, err)
		require.Equal(t, 5, base.sent())
		require.Equal(t, 3, asked)
	})
}
