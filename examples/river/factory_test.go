package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A factory is the service that TestLoad uses. It computes an operation's status from the start
// time in the status URL.
type factory struct {
	cfg config

	mu      sync.Mutex
	started map[string]time.Time // the start time of each operation, keyed by Repeatability-Request-ID
	allowed float64              // how many more requests the limit allows
	last    time.Time            // when allowed was last updated
	journal journal
}

// A journal counts the requests that the service received and the operations that it started.
type journal struct {
	Requests int
	Refused  int            // requests refused with 429
	Repeated int            // repeated requests, recognized by their IDs
	Starts   map[string]int // operations started for each widget
}

func newFactory(cfg config) *factory {
	return &factory{cfg: cfg, started: map[string]time.Time{}, journal: journal{Starts: map[string]int{}}}
}

// serve writes the service's origin to the Writer, and runs the service until ctx is done or the
// Reader reaches EOF.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	var cfg config
	err := json.NewDecoder(in).Decode(&cfg)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newFactory(cfg).handler(), ReadHeaderTimeout: cfg.Timeout}
	go func() {
		<-untilEnd(ctx, in).Done()
		server.Close()
	}()
	_, err = fmt.Fprintf(out, "http://%s\n", listener.Addr())
	if err != nil {
		return err
	}
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (f *factory) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /widgets/{name}", f.limited(f.start))
	mux.HandleFunc("GET /widgets/{name}/operations/{start}", f.limited(f.status))
	mux.HandleFunc("GET /journal", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		_ = json.NewEncoder(w).Encode(f.journal)
	})
	return mux
}

// limited wraps a handler and refuses requests beyond cfg.Limit per second.
func (f *factory) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if f.admit(time.Now()) {
			next(w, r)
			return
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// admit counts a request and reports whether the limit allows it.
func (f *factory) admit(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.journal.Requests++
	if f.cfg.Limit == 0 {
		return true
	}
	limit := float64(f.cfg.Limit)
	f.allowed = min(f.allowed+now.Sub(f.last).Seconds()*limit, limit)
	f.last = now
	if f.allowed < 1 {
		f.journal.Refused++
		return false
	}
	f.allowed--
	return true
}

func (f *factory) start(w http.ResponseWriter, r *http.Request) {
	at := f.startOnce(r.URL.Path, r.Header.Get("Repeatability-Request-ID"))
	w.Header().Set("Azure-AsyncOperation", fmt.Sprintf("http://%s%s/operations/%d", r.Host, r.URL.Path, at.UnixMilli()))
	w.Header().Set("Retry-After-Ms", strconv.FormatInt(f.cfg.Pause.Milliseconds(), 10))
	w.WriteHeader(http.StatusAccepted)
}

// startOnce starts an operation unless an earlier request with this ID did. It returns the
// operation's start time.
func (f *factory) startOnce(widget, requestID string) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, known := f.started[requestID]
	if known {
		f.journal.Repeated++
		return at
	}
	at = time.Now()
	f.started[requestID] = at
	f.journal.Starts[widget]++
	return at
}

func (f *factory) status(w http.ResponseWriter, r *http.Request) {
	start, _ := strconv.ParseInt(r.PathValue("start"), 10, 64)
	if time.Since(time.UnixMilli(start)) < f.cfg.Duration {
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(f.cfg.Pause.Milliseconds(), 10))
		_, _ = w.Write([]byte(`{"status": "Running"}`))
		return
	}
	if fails(r.PathValue("name")) {
		_, _ = w.Write([]byte(`{"status": "Failed", "error": {"code": "QuotaExceeded", "message": "No more widgets."}}`))
		return
	}
	_, _ = w.Write([]byte(`{"status": "Succeeded"}`))
}

func widget(i int) string { return fmt.Sprintf("/widgets/w%06d", i) }

// fails reports whether the creation of a widget fails. One creation in a hundred fails.
func fails(name string) bool { return name[len(name)-2:] == "07" }
