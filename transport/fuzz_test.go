package transport_test

import (
	"math"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

// FuzzRetryAfter compares RetryAfter with an implementation that uses exact arithmetic, and checks
// that RetryAfter never returns a negative pause.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"0", "5", " 7 ", "-3", "+4", "1.5", "0.0000000019", "9223372036", "9223372036.854775807", "9223372037", "99999999999999999999",
		"Tue, 01 Jan 2030 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", "0x1", "1e3", "1.", ".1",
	} {
		f.Add("", "", s, int64(1893455940), int64(0))
	}
	f.Add("1.5", "20", "30", int64(0), int64(0))
	f.Add("-1", "9223372036854.9", "30", int64(0), int64(0))
	f.Add("x", "y", "Thursday, 01-Jan-70 00:00:05 GMT", int64(0), int64(1))
	f.Fuzz(func(t *testing.T, ms, xms, value string, unix, nanos int64) {
		if len(ms)+len(xms)+len(value) > 4096 {
			return // math/big is slow for such long inputs
		}
		now := time.Unix(unix%(1<<40), nanos%1e9)
		got, ok := transport.RetryAfter(http.Header{"Retry-After-Ms": {ms}, "X-Ms-Retry-After-Ms": {xms}, "Retry-After": {value, "1"}}, now)
		want, wanted := pause(ms, xms, value, now)
		require.Equal(t, wanted, ok)
		require.GreaterOrEqual(t, got, time.Duration(0))
		require.InDelta(t, 0, want-got, 1, "a nanosecond may be lost to a float: got %d, want %d", got, want)
		if !ok {
			require.Zero(t, got)
		}
	})
}

// pause is a slow but exact implementation of RetryAfter. It tries the three headers in order of
// precedence.
func pause(ms, xms, value string, now time.Time) (time.Duration, bool) {
	for _, s := range []string{ms, xms} {
		if d, ok := exactly(s, time.Millisecond); ok {
			return d, true
		}
	}
	if d, ok := exactly(value, time.Second); ok {
		return d, true
	}
	date, err := http.ParseTime(strings.TrimSpace(value))
	if err != nil {
		return 0, false
	}
	ns := new(big.Int).Mul(big.NewInt(date.Unix()-now.Unix()), big.NewInt(1e9))
	return clamped(ns.Add(ns, big.NewInt(int64(date.Nanosecond()-now.Nanosecond())))), true
}

var decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

func exactly(s string, unit time.Duration) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if !decimal.MatchString(s) {
		return 0, false
	}
	r, _ := new(big.Rat).SetString(s)
	r.Mul(r, new(big.Rat).SetInt64(int64(unit)))
	return clamped(new(big.Int).Quo(r.Num(), r.Denom())), true
}

// clamped converts ns to the closest non-negative duration.
func clamped(ns *big.Int) time.Duration {
	switch {
	case ns.Sign() < 0:
		return 0
	case !ns.IsInt64():
		return math.MaxInt64
	}
	return time.Duration(ns.Int64())
}
