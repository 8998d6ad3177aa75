package transport_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestRetryAfter(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	now := time.Date(2029, 12, 31, 23, 59, 0, 0, time.UTC)
	tests := []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"", 0, false},
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{"  7\t", 7 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"1.5", 1500 * time.Millisecond, true},
		{"0.25", 250 * time.Millisecond, true},
		{"9223372036", 9223372036 * time.Second, true},
		{"9223372036.9", forever, true},
		{"9223372037", forever, true},
		{"18446744073709551616", forever, true},
		{strings.Repeat("9", 400), forever, true},
		{"-1", 0, false},
		{"+1", 0, false},
		{"-0", 0, false},
		{".5", 0, false},
		{"5.", 0, false},
		{"1.2.3", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"1_000", 0, false},
		{"NaN", 0, false},
		{"Inf", 0, false},
		{"5s", 0, false},
		{"5 s", 0, false},
		{"soon", 0, false},
		{"٣", 0, false},
		{"Tue, 01 Jan 2030 00:00:00 GMT", time.Minute, true},
		{"Tuesday, 01-Jan-30 00:00:00 GMT", time.Minute, true},
		{"Tue Jan  1 00:00:00 2030", time.Minute, true},
		{"Mon, 31 Dec 2029 23:59:00 GMT", 0, true},
		{"Mon, 31 Dec 2029 23:58:59 GMT", 0, true},
		{"Mon, 01 Jan 0001 00:00:00 GMT", 0, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", forever, true},
		{"Tue, 41 Jan 2030 00:00:00 GMT", 0, false},
	}
	for _, tt := range tests {
		got, ok := transport.RetryAfter(http.Header{"Retry-After": {tt.value}}, now)
		require.Equal(t, tt.ok, ok, "RetryAfter(%q)", tt.value)
		require.Equal(t, tt.want, got, "RetryAfter(%q)", tt.value)
	}
}

// If Retry-After is a date, RetryAfter measures the pause from the Date header or, without a valid
// one, from the parameter now.
func TestRetryAfterDate(t *testing.T) {
	const date, hour = "Tue, 01 Jan 2030 00:00:00 GMT", time.Hour
	now := time.Date(2029, 12, 31, 23, 0, 0, 0, time.UTC)
	tests := []struct {
		sent string // the Date header
		want time.Duration
	}{
		{"", hour},
		{"Mon, 31 Dec 2029 23:59:30 GMT", 30 * time.Second},
		{"Monday, 31-Dec-29 23:59:30 GMT", 30 * time.Second},
		{"Tue, 01 Jan 2030 00:00:01 GMT", 0},
		{"Mon, 31 Dec 2029 00:00:00 GMT", 24 * hour},
		{"yesterday", hour},
		{"1893455970", hour},
	}
	for _, tt := range tests {
		got, ok := transport.RetryAfter(http.Header{"Retry-After": {date}, "Date": {tt.sent}}, now)
		require.True(t, ok)
		require.Equal(t, tt.want, got, "Date: %s", tt.sent)
		got, ok = transport.RetryAfter(http.Header{"Retry-After": {"7"}, "Date": {tt.sent}}, now)
		require.True(t, ok)
		require.Equal(t, 7*time.Second, got, "a number does not depend on a clock")
	}
}

// If Retry-After is a date, the pause before the retry is measured from the Date header.
func TestPauseUntilADate(t *testing.T) {
	for sent, want := range map[string]time.Duration{
		"Tue, 01 Jan 2030 00:00:00 GMT": 20 * time.Second,
		"Tue, 01 Jan 2030 00:00:30 GMT": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			base := play(answer{status: 503}, answer{status: 200})
			tr := newTransport(trip(func(r *http.Request) (*http.Response, error) {
				resp, err := base.RoundTrip(r)
				resp.Header.Set("Date", sent)
				resp.Header.Set("Retry-After", "Tue, 01 Jan 2030 00:00:20 GMT")
				return resp, err
			}))
			_, err := get(t, t.Context(), tr, statuses)
			require.NoError(t, err)
			require.Equal(t, []time.Duration{0, want}, base.at)
		})
	}
}

func TestRetryAfterOrder(t *testing.T) {
	tests := []struct {
		ms, xms, seconds string
		want             time.Duration
		ok               bool
	}{
		{"", "", "", 0, false},
		{"10", "20", "30", 10 * time.Millisecond, true},
		{"", "20", "30", 20 * time.Millisecond, true},
		{"", "", "30", 30 * time.Second, true},
		{"0", "20", "30", 0, true},
		{"-1", "20", "30", 20 * time.Millisecond, true},
		{"x", "-20", "30", 30 * time.Second, true},
		{"x", "y", "z", 0, false},
		{"1.5", "", "", 1500 * time.Microsecond, true},
		{"9223372036855", "", "", math.MaxInt64, true},
		{"Tue, 01 Jan 2030 00:00:00 GMT", "", "30", 30 * time.Second, true},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("retry-after-ms", tt.ms)
		h.Set("x-ms-retry-after-ms", tt.xms)
		h.Set("Retry-After", tt.seconds)
		got, ok := transport.RetryAfter(h, time.Now())
		require.Equal(t, tt.ok, ok, "%+v", tt)
		require.Equal(t, tt.want, got, "%+v", tt)
	}
	_, ok := transport.RetryAfter(nil, time.Now())
	require.False(t, ok)
}
