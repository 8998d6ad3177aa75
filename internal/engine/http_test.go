package engine

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// The URL of a result's response is the URL of the result, not the URL of the status.
func TestAnswerOfResult(t *testing.T) {
	s := &httpSource{HTTPSettings: &HTTPSettings{}}
	r := record.Record{Phase: record.PendingResult, Poll: "https://a.test/op", Status: &strategy.Status{}, Result: &record.Result{URL: "https://a.test/w"}}
	var a strategy.Answer
	s.fillAnswer(&a, &r, &wire.Answer{Code: http.StatusOK, URL: r.Result.URL.Parse()})
	require.Equal(t, "https://a.test/w", a.URL)
}

// During a long wait, the wall clock is checked every minute, because timers stop while the machine
// is asleep.
func TestNap(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		0: 0, time.Nanosecond: time.Nanosecond, time.Minute: time.Minute, time.Minute + 1: time.Minute, 72 * time.Hour: time.Minute, math.MaxInt64: time.Minute,
	} {
		require.Equal(t, want, nap(left))
	}
	require.NotContains(t, now().String(), "m=", "schedules do not use the monotonic clock")
}
