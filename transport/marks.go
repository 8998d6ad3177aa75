package transport

import (
	"context"
	"math"
	"time"
)

// maxPollPause is the longest pause that is slept for a caller who polls.
const maxPollPause = 5 * time.Second

// marks are what the maker of a context tells of the requests made with it.
type marks struct {
	origins  []string
	polling  bool
	unpaused bool
}

// marked is a context with marks.
type marked struct {
	context.Context
	marks
}

type markedKey struct{}

func (m *marked) Value(key any) any {
	if key == (markedKey{}) {
		return m
	}
	return m.Context.Value(key)
}

func marksOf(ctx context.Context) marks {
	if m, ok := ctx.Value(markedKey{}).(*marked); ok {
		return m.marks
	}
	return marks{}
}

// WithPolling marks the requests made with the context as those of a caller
// who schedules the next attempt itself, such as a poller reading a status. For
// them no pause over 5 s is slept: the response is handed up as it is. Where
// the throttle gate holds the request for longer than that, the response is a
// 429 made here, with Retry-After, and nothing is sent. A 401 is handed up
// without a second try; the token is dropped all the same, so that the caller's
// own second try has a fresh one.
func WithPolling(ctx context.Context) context.Context {
	m := marksOf(ctx)
	m.polling = true
	return &marked{ctx, m}
}

// ForPolling is [WithPolling] and [WithOrigins] in one, for one who polls much.
func ForPolling(ctx context.Context, origins ...string) context.Context {
	m := marksOf(ctx)
	m.origins, m.polling = origins, true
	return &marked{ctx, m}
}

// WithoutPauses marks the requests made with the context as those of a caller
// who polls for many and has few requests under way at once, such as a
// poller.Group. It is WithPolling without the 5 s: no pause between attempts is
// slept and no throttle gate is waited for, so that a throttled service takes
// none of the places that others need. The 429 made here then asks for 5 s at
// least, so that many who are held do not come back all the time.
func WithoutPauses(ctx context.Context) context.Context {
	m := marksOf(ctx)
	m.polling, m.unpaused = true, true
	return &marked{ctx, m}
}

// WithOrigins names origins, as [Origin] writes them, that a redirect of the
// requests made with the context may lead to beside those of the client. So a
// poller or pager has its own origins with a client that many share.
func WithOrigins(ctx context.Context, origins ...string) context.Context {
	m := marksOf(ctx)
	m.origins = origins
	return &marked{ctx, m}
}

func originsOf(ctx context.Context) []string { return marksOf(ctx).origins }

func polling(ctx context.Context) bool { return marksOf(ctx).polling }

// LongestPause is the longest pause between attempts that may be slept for the maker
// of ctx: 5 s where it is marked by [WithPolling], 0 by [WithoutPauses], else the
// longest there is. It is for a transport of one's own, which hands up what asks for
// more as it is.
func LongestPause(ctx context.Context) time.Duration {
	switch m := marksOf(ctx); {
	case m.unpaused:
		return 0
	case m.polling:
		return maxPollPause
	}
	return math.MaxInt64
}

// fits reports whether a pause may be slept: it does not reach the end of
// ctx, after which nothing could be sent.
func fits(ctx context.Context, pause time.Duration) bool {
	if ctx.Err() != nil || pause > LongestPause(ctx) {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || pause < time.Until(deadline)
}
