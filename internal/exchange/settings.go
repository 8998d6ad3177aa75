package exchange

import (
	"context"
	"math"
	"net/http"
	"time"
)

// Settings are the settings that a context passes to package transport.
type Settings struct {
	// Origins lists the origins to which a request may be redirected, in addition to the client's
	// own origins.
	Origins []string

	// Header holds the headers that a request keeps on a redirect to another origin.
	Header http.Header

	// LongestPause is the longest pause between attempts. 0 means a single attempt.
	LongestPause time.Duration

	// Timeout limits the total time of all exchanges with this context, such as a request and its
	// redirects. [Timed.Body] restarts the limit while a body arrives. 0 means no limit.
	Timeout time.Duration

	// Due is the time at which Timeout expires. Zero means no limit.
	Due time.Time

	// Reauthorizes means that the caller repeats the request after a 401. The transport then only
	// discards its token.
	Reauthorizes bool

	// Turn, if it is not nil, receives the earliest time at which the next request with the same
	// key can start. The throttle gate calls Turn after it has let a request start, has held one
	// back, or has seen a 429. During the call, the gate holds no lock.
	Turn func(key ThrottleKey, next time.Time)
}

// SetTimeout sets Timeout to d, and Due to the current time plus d. If d is 0, it sets Due to zero.
func (s *Settings) SetTimeout(d time.Duration) {
	s.Timeout = d
	s.Due = time.Time{}
	if d > 0 {
		s.Due = time.Now().Add(d)
	}
}

// A Context is a context with settings.
type Context struct {
	context.Context
	Settings
}

type contextKey struct{}

// Value returns c itself if key is a contextKey.
func (c *Context) Value(key any) any {
	if key == (contextKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// WithSettings returns a context with the settings s, which replace any settings in ctx.
func WithSettings(ctx context.Context, s Settings) *Context {
	return &Context{Context: ctx, Settings: s}
}

// ForExchange returns a context with the settings s for a single request. The caller must send this
// request directly through package transport. The transport keeps the state of the exchange in the
// context, and may modify the request. Package transport sets this variable, because an exported
// function would be part of the module's API.
var ForExchange func(ctx context.Context, s Settings) context.Context

var unlimited = Settings{LongestPause: math.MaxInt64}

// SettingsOf returns the settings in ctx. If there are none, it returns Settings that limit
// nothing.
func SettingsOf(ctx context.Context) *Settings {
	if c, ok := ctx.Value(contextKey{}).(*Context); ok {
		return &c.Settings
	}
	return &unlimited
}

// PropagatedNames are the headers of the first request that every later request repeats. They
// contain the IDs that correlate requests, and the language of messages. All but X-Correlation-Id,
// which is for IBM Cloud, are defined in the resource provider API v2.0, "Client Request Headers".
var PropagatedNames = [...]string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Sent is what package transport reports about the exchange that led to a response.
type Sent struct {
	Attempts     int  // how many times the request was sent; 0 if unknown
	Unanswered   bool // see StatusError.Unanswered in package errors
	FollowWrites bool // whether transport.Options.FollowWrites is set

	// Turn is the time at which the throttle gate will allow the request, if the gate held it back
	// and nothing was sent. Otherwise, Turn is zero.
	Turn time.Time
}

// SentKey is the key of the *Sent that package transport stores in the context of a response's
// Request.
type SentKey struct{}

// SentOf returns the Sent in the context of req, or the zero Sent if there is none. req may be nil.
func SentOf(req *http.Request) Sent {
	if req == nil {
		return Sent{}
	}
	s, ok := req.Context().Value(SentKey{}).(*Sent)
	if !ok {
		return Sent{}
	}
	return *s
}

// Mark returns a context whose requests can be redirected to the origins in o, even if their
// transport does not allow these origins. On such a redirect, a request keeps the headers h.
func (o Origins) Mark(ctx context.Context, h http.Header) context.Context {
	s := *SettingsOf(ctx)
	s.Origins = o.List()
	s.Header = h
	s.Reauthorizes = false
	return WithSettings(ctx, s)
}
