package engine

import (
	"context"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// When the Core reads a result, Answer.URL is the result's URL, not the status URL.
func TestAnswerOfResult(t *testing.T) {
	s := &httpSource{HTTPSettings: &HTTPSettings{}}
	r := record.Record{Phase: record.PendingResult, Poll: "https://a.test/op", Status: &strategy.Status{}, Result: &record.Result{URL: "https://a.test/w"}}
	var a strategy.Answer
	s.fillAnswer(&a, &r, &wire.Answer{Code: http.StatusOK, URL: r.Result.URL.Parse()})
	require.Equal(t, "https://a.test/w", a.URL)
}

// A doer answers each request with the next of its status codes. With a 429, it also reports when
// the request may be sent, as the throttle gate does.
type doer struct{ codes []int }

func (d *doer) Do(req *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: d.codes[0], Request: req, ContentLength: 0}
	if resp.StatusCode == http.StatusTooManyRequests {
		sent := exchange.Sent{Turn: time.Now().Add(time.Minute)}
		resp.Request = req.WithContext(context.WithValue(req.Context(), exchange.SentKey{}, &sent))
	}
	d.codes = d.codes[1:]
	return resp, nil
}

// A read that got a 401 is not postponed if the throttle gate holds back its second request,
// because the first one was sent.
func TestRetryNotSentAfterUnauthorized(t *testing.T) {
	origins, err := exchange.NewOrigins([]string{"https://a.test"})
	require.NoError(t, err)
	for _, row := range []struct {
		codes     []int
		postponed bool
	}{{[]int{429}, true}, {[]int{401, 429}, false}} {
		s := &httpSource{HTTPSettings: &HTTPSettings{StatusLimit: wire.Limit{Bytes: 1}}, client: &doer{row.codes}, origins: origins}
		read := s.Read(t.Context(), record.Record{Phase: record.Polling, Poll: "https://a.test/op", Status: &strategy.Status{}}, true)
		require.Equal(t, http.StatusTooManyRequests, read.Err.StatusCode)
		require.Equal(t, row.postponed, !read.Turn.IsZero())
	}
}

// A long wait checks the wall clock every minute, because timers stop while the machine is
// suspended.
func TestWaitChecksWallClock(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		0: 0, time.Nanosecond: time.Nanosecond, time.Minute: time.Minute, time.Minute + 1: time.Minute, 72 * time.Hour: time.Minute, math.MaxInt64: time.Minute,
	} {
		require.Equal(t, want, nap(left))
	}
	require.NotContains(t, now().String(), "m=", "schedules do not use the monotonic clock")
}
