package fakes

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Request records one request that a fake received.
type Request struct {
	Time   time.Time // when it arrived
	Method string
	URL    string      // absolute, with the query unchanged
	Path   string      // the decoded path of the URL
	Header http.Header // all headers, including Authorization
	Body   []byte

	// Kind says what the request was for, and Operation is the ID of the operation it started, read
	// or canceled. A Transcript sets neither field.
	Kind      Kind
	Operation string

	// StatusCode is the status code of the response. It is 0 until the headers of the response are
	// sent, and stays 0 if the connection is closed before that.
	StatusCode int
}

// RequestOf returns the entry for r in the log of a [Service], and reports whether there is one.
// Call it from the middleware of a [Fault]. StatusCode and, for a Begin, Operation are not set
// until the middleware has called the service.
func RequestOf(r *http.Request) (Request, bool) {
	w, ok := r.Context().Value(watcherKey{}).(*watcher)
	if !ok {
		return Request{}, false
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.entry.clone(), true
}

// clone returns a deep copy of r.
func (r *Request) clone() Request {
	c := *r
	c.Header, c.Body = r.Header.Clone(), slices.Clone(r.Body)
	return c
}

// A requestLog keeps requests in order of arrival.
type requestLog struct {
	mu       sync.Mutex
	requests []*Request
}

// add adds r to the log. The body of r can still be read afterward. If keep is not 0, the log keeps
// only that many of the latest requests.
func (l *requestLog) add(r *http.Request, keep int) (*Request, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	entry := &Request{
		Time:   time.Now(),
		Method: r.Method,
		URL:    engine.BaseURL(r) + r.URL.RequestURI(),
		Path:   r.URL.Path,
		Header: r.Header.Clone(),
		Body:   body,
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	old := len(l.requests) + 1 - keep
	if keep > 0 && old > 0 {
		clear(l.requests[:old]) // release the memory of the old requests
		l.requests = l.requests[old:]
	}
	l.requests = append(l.requests, entry)
	return entry, nil
}

// readBody reads the body of r. The body may be nil if a test calls ServeHTTP directly.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	return bytes.Clone(body), err // drop the unused capacity, because the log may keep many bodies
}

// update locks the log and calls the given function, which modifies a logged request.
func (l *requestLog) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *requestLog) copy() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := make([]Request, 0, len(l.requests))
	for _, r := range l.requests {
		requests = append(requests, r.clone())
	}
	return requests
}

// A watcher is an http.ResponseWriter that logs the status code of the response.
type watcher struct {
	http.ResponseWriter
	log   *requestLog
	entry *Request
	wrote bool
}

// watcherKey is the context key for a request's watcher.
type watcherKey struct{}

func (w *watcher) WriteHeader(code int) {
	if !w.wrote && code >= 200 {
		w.wrote = true
		w.log.update(func() { w.entry.StatusCode = code })
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *watcher) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *watcher) Flush() {
	w.begin()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // not every writer can flush
}

// Unwrap returns the underlying writer, for [http.ResponseController].
func (w *watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watcher) begin() {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
}
