package main

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/lro-go/lro/transport"
)

// A recorder logs every request that passes, and what the service asked for in
// its answer. Put it below all that sends: it is an [http.Client]'s Transport, or
// the Base in transport.Options, where it sees each attempt.
type recorder struct {
	base http.RoundTripper
	log  *slog.Logger
}

var _ http.RoundTripper = (*recorder)(nil)

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := time.Now()
	resp, err := r.base.RoundTrip(req)
	attrs := []slog.Attr{
		slog.String("method", req.Method),
		slog.String("url", bare(req.URL)),
		slog.Duration("took", time.Since(sent)),
	}
	if err == nil { // why there is no answer is in the poller's own record
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
		if pause, asked := transport.RetryAfter(resp.Header, time.Now()); asked {
			attrs = append(attrs, slog.Duration("retryAfter", pause))
		}
	}
	r.log.LogAttrs(req.Context(), slog.LevelDebug, "exchange", attrs...)
	return resp, err
}

// bare is u without what may be secret: status URLs are often signed.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
