package poller

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
	c := &core{settings: defaults()}
	for name, read := range map[string]func(*record){
		"status": func(r *record) { c.schedule(r, h, strategy.Move{}) },
		"failed": func(r *record) { c.backOff(r, h) },
		"check": func(r *record) {
			c.failedNextTo(r, &sighting{Answer: strategy.Answer{Header: h}, err: &lroerrors.StatusError{StatusCode: http.StatusTooManyRequests}}, &trouble{})
		},
	} {
		r := record{Phase: polling, LastRead: arrived, Next: arrived.Add(time.Minute), Status: &Status{}}
		read(&r)
		require.Equal(t, arrived.Add(5*time.Minute), r.Next, name)
	}
}
