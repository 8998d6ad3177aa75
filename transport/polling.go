package transport

import (
	"context"
	"time"
)

// maxPollPause is the longest pause that is slept for a caller who polls.
const maxPollPause = 5 * time.Second

// marked is a context with what its maker tells of the requests made with it.
type marked struct {
	context.Context
	origins []string
	polling bool
}

type markedKey struct{}

func (m *marked) Value(key any) any {
	if key == (markedKey{}) {
		return m
	}
	return m.Context.Value(key)
}

func marksOf(ctx context.Context) (origins []string, polling bool) {
	m, ok := ctx.Value(markedKey{}).(*marked)
	if !ok {
		return nil, false
	}
	return m.origins, m.polling
}

// WithPolling marks the requests made with the context as those of a caller
// who schedules the next attempt itself, such as a poller reading a status. For
// them no pause over 5 s is slept: the response is handed up as it is. Where
// the throttle gate holds the request for longer than that, the response is a
// 429 made here, with Retry-After, and nothing is sent. A 401 is handed up
// without a second try; the token is dropped all the same, so that the caller's
// own second try has a fresh one.
func WithPolling(ctx context.Context) context.Context {
	return &marked{Context: ctx, origins: originsOf(ctx), polling: true}
}

// ForPolling is [WithPolling] and [WithOrigins] in one, for one who polls much.
func ForPolling(ctx context.Context, origins ...string) context.Context {
	return &marked{Context: ctx, origins: origins, polling: true}
}

// WithOrigins names origins, as [Origin] writes them, that a redirect of the
// requests made with the context may lead to beside those of the client. So a
// poller or pager has its own origins with a client that many share.
func WithOrigins(ctx context.Context, origins ...string) context.Context {
	return &marked{Context: ctx, origins: origins, polling: polling(ctx)}
}

func originsOf(ctx context.Context) []string {
	origins, _ := marksOf(ctx)
	return origins
}

func polling(ctx context.Context) bool {
	_, is := marksOf(ctx)
	return is
}

// fits reports whether a pause may be slept: it does not reach the end of
// ctx, after which nothing could be sent.
func fits(ctx context.Context, pause time.Duration) bool {
	if ctx.Err() != nil || polling(ctx) && pause > maxPollPause {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || pause < time.Until(deadline)
}
