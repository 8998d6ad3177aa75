package checker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

const (
	maxRequestTime = 2 * time.Minute // twice the time that ARM allows a resource provider (section "Client Request Timeout")
	maxBody        = 8 << 20         // twice the size that ARM allows (section "Max Response Size")
)

// A sender sends requests one at a time, at least Pace apart, and records them.
type sender struct {
	clients [2]*http.Client
	header  http.Header
	origins []string
	log     func(string)

	sent int
	last time.Time // when the last request was sent
}

func newSender(o *Options) *sender {
	s := &sender{header: o.Header, origins: o.Origins, log: o.Log}
	for i := range s.clients {
		client := *o.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		s.clients[i] = &client
	}
	return s
}

// send sends the request in x, fills in the response and adds x to op. It sends nothing to an
// origin that is not allowed.
func (s *sender) send(ctx context.Context, op *trace.Operation, x *trace.Exchange) error {
	if !s.allowed(x.URL) {
		s.log("not sent, because its origin is not allowed: " + plain(x.Method+" "+x.URL))
		return nil
	}
	if err := sleep(ctx, time.Until(s.last.Add(Pace))); err != nil {
		return err
	}
	s.sent++
	x.N = s.sent
	x.Reader = max(x.Reader, 1)
	x.At = time.Now()
	s.last = x.At
	s.log(plain(x.Method + " " + x.URL))

	// A request that has been sent is not canceled when ctx ends, because only the response says
	// what the service has done.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxRequestTime)
	defer cancel()
	x.Err = s.exchange(limited, x)
	x.Took = time.Since(x.At)
	op.Add(x)
	return nil
}

func (s *sender) exchange(ctx context.Context, x *trace.Exchange) error {
	req, err := http.NewRequestWithContext(ctx, x.Method, x.URL, bytes.NewReader(x.RequestBody))
	if err != nil {
		return err
	}
	maps.Copy(req.Header, s.header.Clone())
	maps.Copy(req.Header, x.RequestHeader.Clone())
	if len(x.RequestBody) > 0 && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	x.RequestHeader = req.Header.Clone()

	resp, err := s.clients[x.Reader-1].Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	x.StatusCode = resp.StatusCode
	x.Header = resp.Header
	x.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if len(x.Body) > maxBody {
		x.Body = x.Body[:maxBody]
		return fmt.Errorf("the body has more than %d bytes", maxBody)
	}
	return err
}

// allowed reports whether the URL has an allowed origin. Only allowed origins get requests, because
// each request may contain credentials.
func (s *sender) allowed(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return false
	}
	origin, err := transport.Origin(u)
	return err == nil && slices.Contains(s.origins, origin)
}

// plain redacts the queries and credentials in a log line.
func plain(line string) string { return lroerrors.AdditionalInfo{Type: line}.String() }

// sleep waits for d. If ctx ends first, sleep returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
