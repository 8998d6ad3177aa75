package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// FuzzSchedule checks that the poller pauses for as long as the service asks, within limits. After
// a failed read, the limit is a day. Otherwise, the Cadence sets the limits.
func FuzzSchedule(f *testing.F) {
	for i, s := range []string{"0", "5", "60", "600", "601", "99999999999999999999", "-1", "x", "", "Sat, 01 Jan 2000 00:05:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "1.5"} {
		f.Add(s, "", i%2 == 0, i%3 == 0)
		f.Add("30", s, i%2 == 0, i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, first, second string, ms, fails bool) {
		bubble(t, func(t *testing.T) {
			name := "Retry-After"
			if ms {
				name = "Retry-After-Ms"
			}
			given := http.Header{name: {first}}
			req := newRequest(t, http.MethodPost, "/w")
			began := linked(req, name, first)
			began.Header["Location"] = []string{"/op"}
			p, err := poller.New[raw](&began, doer(func(req *http.Request) (*http.Response, error) {
				resp := linked(req, name, second)
				if fails {
					resp.StatusCode = http.StatusServiceUnavailable
				}
				return &resp, nil
			}), nil)
			require.NoError(t, err)
			require.Equal(t, clamped(given, nil), time.Until(p.NextPoll()))
			_, err = p.Poll(t.Context())
			if asked := (http.Header{name: {second}}); !fails {
				require.NoError(t, err)
				require.Equal(t, clamped(asked, given), time.Until(p.NextPoll()))
			} else {
				require.Error(t, err)
				require.Equal(t, afterFailure(asked), time.Until(p.NextPoll()))
			}
		})
	})
}

// clamped returns the expected pause after a response with a status: its Retry-After, else the
// previous one, else 60 s. The limits are 10 s and 10 min.
func clamped(now, before http.Header) time.Duration {
	for _, h := range []http.Header{now, before} {
		if d, ok := transport.RetryAfter(h, time.Now()); ok {
			return min(max(d, 10*time.Second), 10*time.Minute)
		}
	}
	return time.Minute
}

// afterFailure returns the expected pause after the first failed read: the Retry-After, but at most
// a day. If the Retry-After is absent, invalid or 0, the pause is 10 s, the default of Cadence.Min.
func afterFailure(h http.Header) time.Duration {
	d, ok := transport.RetryAfter(h, time.Now())
	if !ok || d == 0 {
		return 10 * time.Second
	}
	return min(d, 24*time.Hour)
}
