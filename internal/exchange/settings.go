package exchange

import (
	"context"
	"math"
	"net/http"
	"time"
)

// Settings are the settings that a context carries for package transport.
type Settings struct {
	// Origins lists the origins that a request may be redirected to, in addition to those that the
	// transport allows.
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

	// Reauthorizes means that the caller repeats the request after a 401, so the transport discards
	// its token but does not retry.
	Reauthorizes bool

	// Turn, if not nil, receives the earliest time at which the next request with the given key can
	// start. The throttle gate calls Turn after it has let a request start, held one back, or seen
	// a 429. It holds no lock during the call.
	Turn func(key ThrottleKey, next time.Time)
}

// SetTimeout sets Timeout to d, and Due to the current time plus d, or to zero if d is 0.
func (s *Settings) SetTimeout(d time.Duration) {
	s.Timeout = d
	s.Due = time.Time{}
	if d > 0 {
		s.Due = time.Now().Add(d)
	}
}

// A Context is a context.Context with Settings.
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

// WithSettings returns a child of ctx with the settings s, which replace any settings in ctx.
func WithSettings(ctx context.Context, s Settings) *Context {
	return &Context{Context: ctx, Settings: s}
}

// ForExchange returns a context with the settings s for a single request, which the caller must
// send directly through package transport. The transport keeps the state of the exchange in the
// context, and may modify the request. Package transport sets this variable, because an exported
// function would be part of the module's API.
var ForExchange func(ctx context.Context, s Settings) context.Context

var unlimited = Settings{LongestPause: math.MaxInt64}

// SettingsOf returns the settings in ctx, or Settings that limit nothing if there are none.
func SettingsOf(ctx context.Context) *Settings {
	if c, ok := ctx.Value(contextKey{}).(*Context); ok {
		return &c.Settings
	}
	return &unlimited
}

// PropagatedNames are the headers that every later request copies from the first one: the IDs that
// correlate requests, and the language of messages. X-Correlation-Id is for IBM Cloud. The others
// are defined in the resource provider API v2.0, "Client Request Headers".
var PropagatedNames = [...]string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Sent describes the exchange that led to a response. Package transport fills it in.
type Sent struct {
	Attempts     int  // how many times the request was sent; 0 if unknown
	Unanswered   bool // see StatusError.Unanswered in package errors
	FollowWrites bool // whether transport.Options.FollowWrites is set

	// If the throttle gate held the request back and nothing was sent, Turn is the time at which
	// the gate will allow the request. Otherwise, Turn is zero.
	Turn time.Time
}

// SentKey is the context key of the *Sent that package transport stores in a response's Request.
type SentKey struct{}

// SentOf returns the Sent in req's context, or a zero Sent. req may be nil.
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

// Mark returns a context whose requests may be redirected to the origins in o, in addition to those
// that the transport allows. A request keeps the headers h on a redirect to another origin.
func (o Origins) Mark(ctx context.Context, h http.Header) context.Context {
	s := *SettingsOf(ctx)
	s.Origins = o.List()
	s.Header = h
	s.Reauthorizes = false
	return WithSettings(ctx, s)
}
