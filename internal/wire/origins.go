package wire

import (
	"context"
	"net/url"
	"time"

	"github.com/lro-go/lro/internal/origin"
	"github.com/lro-go/lro/internal/reqctx"
)

// Origins is the set of origins that requests may go to.
type Origins struct{ origin.Set }

// NewOrigins is [origin.NewSet].
func NewOrigins(list []string) (Origins, error) {
	set, err := origin.NewSet(list)
	return Origins{set}, err
}

// With returns o and the origin of u.
func (o Origins) With(u *url.URL) (Origins, error) {
	set, err := o.Set.With(u)
	return Origins{set}, err
}

// Mark returns a context whose requests may be redirected to the origins, whatever the
// origins of their transport are.
func (o Origins) Mark(ctx context.Context) context.Context {
	w := reqctx.Of(ctx)
	w.Origins = o.List()
	return reqctx.With(ctx, w)
}

// longestPause is how long a transport may pause between the attempts of one read. The
// schedule of the poller takes care of longer pauses.
const longestPause = 5 * time.Second

// MarkPolling is [Origins.Mark] for a caller that schedules the next attempt itself, and
// that repeats a request after a 401.
func (o Origins) MarkPolling(ctx context.Context) context.Context {
	w := reqctx.Of(ctx)
	w.Origins, w.LongestPause, w.Reauthorizes = o.List(), min(w.LongestPause, longestPause), true
	return reqctx.With(ctx, w)
}
