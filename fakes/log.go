package fakes

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Request is what a fake remembers of a request it was asked.
type Request struct {
	Time   time.Time   // when it came
	Method string      //
	URL    string      // absolute, with the query as it was sent
	Path   string      // of the URL, decoded
	Header http.Header // as it was sent, Authorization included
	Body   []byte      //

	// Kind is what was asked of a Service, and Operation the ID of the
	// operation that was begun, polled or canceled. A Transcript has neither.
	Kind      Kind
	Operation string

	// StatusCode is that of the answer; 0 while there is none, and for good
	// where the connection was dropped before.
	StatusCode int
}

// A requestLog keeps requests in the order in which they came.
type requestLog struct {
	mu       sync.Mutex
	requests []*Request
}

// add reads r's body, leaves it to be read again, and remembers r.
func (l *requestLog) add(r *http.Request) (*Request, error) {
	var body []byte
	if r.Body != nil { // a handler that is called directly may see nil
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	entry := &Request{
		Time:   time.Now(),
		Method: r.Method,
		URL:    baseURL(r) + r.URL.RequestURI(),
		Path:   r.URL.Path,
		Header: r.Header.Clone(),
		Body:   body,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, entry)
	return entry, nil
}

// update changes a request that is in the log.
func (l *requestLog) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// copy returns what the log holds, for the caller to keep.
func (l *requestLog) copy() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := make([]Request, 0, len(l.requests))
	for _, r := range l.requests {
		c := *r
		c.Header, c.Body = r.Header.Clone(), slices.Clone(r.Body)
		requests = append(requests, c)
	}
	return requests
}

// A watcher tells the log which status was sent.
type watcher struct {
	http.ResponseWriter
	log   *requestLog
	entry *Request
	wrote bool
}

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

// Flush is for a handler that asks for an http.Flusher.
func (w *watcher) Flush() {
	w.begin()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // not every writer can
}

// Unwrap is for http.ResponseController.
func (w *watcher) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watcher) begin() {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
}

// baseURL is scheme and host as the client of r wrote them.
func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
