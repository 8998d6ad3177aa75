package record

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// A response without a Date was sent when it arrived, so the date in its Retry-After is measured from
// then, whether or not the read succeeded.
func TestRetryAfterDateWithoutDate(t *testing.T) {
	arrived := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := http.Header{"Retry-After": {arrived.Add(5 * time.Minute).Format(http.TimeFormat)}}
	c := &Cadence{Default: time.Minute, Min: 10 * time.Second, Max: 10 * time.Minute}
	for name, read := range map[string]func(*Record){
		"status": func(r *Record) { r.schedule(h, &strategy.Move{}, c) },
		"failed": func(r *Record) { r.backOff(h, c) },
		"check": func(r *Record) {
			r.alternateFailed(&Reading{Answer: strategy.Answer{Header: h}, Err: &lroerrors.StatusError{StatusCode: http.StatusTooManyRequests}}, c)
		},
	} {
		r := Record{Phase: Polling, LastRead: arrived, Next: arrived.Add(time.Minute), Status: &strategy.Status{}}
		read(&r)
		require.Equal(t, arrived.Add(5*time.Minute), r.Next, name)
	}
}
