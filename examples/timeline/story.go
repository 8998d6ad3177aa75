package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

const machine = "/subscriptions/demo/resourceGroups/demo/providers/Microsoft.Contoso/machines/m1"

// A story is an operation of ten minutes to which everything happens that a
// wait survives. It is told as many times faster as the number says.
type story int

// in is how long d takes as this story is told.
func (s story) in(d time.Duration) time.Duration { return d / time.Duration(s) }

// service says what happens.
func (s story) service() http.Handler {
	svc := &fakes.Service{Default: fakes.Plan{
		Polls: 6,
		Words: []string{"Accepted", "Allocating", "Allocating", "Allocating", "Configuring"},
	}}
	svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: s.asks(30 * time.Second)})
	for i, do := range []func(http.Handler) http.Handler{
		s.asks(30 * time.Second),
		s.asks(time.Minute),
		s.asks(2 * time.Second), // sooner than the poller is willing to
		both(s.asks(time.Minute), fakes.Slow(s.in(12*time.Second))),
		both(s.asks(2*time.Minute), fakes.Status(http.StatusTooManyRequests)),
		fakes.Drop(),
		fakes.Status(http.StatusServiceUnavailable),
		fakes.HTML(http.StatusOK), // by a proxy, as of a login page
		fakes.Header("Retry-After", ""),
		s.asks(90 * time.Second),
	} {
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: i + 1, Do: do})
	}
	svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 1, Do: fakes.Status(http.StatusNotFound)}) // published late
	return svc
}

// asks has the service ask for a pause.
func (s story) asks(pause time.Duration) func(http.Handler) http.Handler {
	return fakes.Header("Retry-After-Ms", strconv.FormatInt(s.in(pause).Milliseconds(), 10))
}

// both wraps with inner and then with outer.
func both(outer, inner func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler { return outer(inner(h)) }
}

// record follows the operation at origin to its end, and logs what there is to
// draw. The poller's own records tell neither the beginning nor the end.
func (s story) record(ctx context.Context, base http.RoundTripper, origin string, log *slog.Logger) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, origin+machine+"?api-version=1", strings.NewReader(`{"properties":{}}`))
	if err != nil {
		return err
	}
	// A program that is not about faults uses transport.NewClient, with the
	// recorder as its Base: it retries what is refused for a moment.
	client := &http.Client{Transport: &recorder{base, log}}
	p, err := poller.Begin[json.RawMessage](req, client, &poller.Options{
		Logger:  log,
		Cadence: poller.Cadence{Min: s.in(10 * time.Second)}, // leave this as it is where the service is not your own
	})
	if err != nil {
		return err
	}
	st := p.Status()
	log.DebugContext(ctx, "began", "state", st.State, "word", st.Word, "next", p.NextPoll())
	if _, err = p.PollUntilDone(ctx); err != nil {
		log.DebugContext(ctx, "ended", "error", err)
		return err
	}
	log.DebugContext(ctx, "ended")
	return nil
}

// recordLive tells the story in some seconds, over real HTTP.
func recordLive(ctx context.Context, w io.Writer) error {
	const fast = story(200)
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: fast.service(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(ln) // until Close
	}()
	defer func() { server.Close(); <-ended }()

	// On a connection that was used before, net/http would send a request again
	// that got no answer, and there would be nothing to see.
	base := &http.Transport{DisableKeepAlives: true}
	return fast.record(ctx, base, "http://"+ln.Addr().String(), newLog(w))
}

// newLog makes a log that this program reads.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
