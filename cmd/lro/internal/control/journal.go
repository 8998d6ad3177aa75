package control

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Above these limits, the journal drops its oldest requests, to bound memory use in a service that
// runs for days.
const (
	maxRequests = 1000
	maxBytes    = 16 << 20
)

// A Request is a request to the simulated service and a summary of its response.
type Request struct {
	N      int         `json:"n"` // the number of the request since the start or the last reset
	Time   time.Time   `json:"time"`
	Method string      `json:"method"`
	URL    string      `json:"url"`              // the path and the query
	Header http.Header `json:"header,omitempty"` // values that may be credentials are hidden
	Body   string      `json:"body,omitempty"`

	Kind      string   `json:"kind,omitempty"` // as in --fault, such as poll
	Nth       int      `json:"nth,omitempty"`  // the number of the request among all requests of its kind
	Operation string   `json:"operation,omitempty"`
	Faults    []string `json:"faults,omitempty"` // the actions of the faults that hit the request, such as 503=10s

	Done       bool   `json:"done"`                 // whether the response has ended
	StatusCode int    `json:"statusCode,omitempty"` // missing if there is no response
	RetryAfter string `json:"retryAfter,omitempty"`
	State      string `json:"state,omitempty"` // the state or error code in the response body; in a replay, any difference from the recorded request instead
	Took       int64  `json:"tookMilliseconds,omitempty"`
}

// hidden replaces a value that may be a credential.
const hidden = "(hidden)"

// credentialWords occur in the names of headers that contain credentials.
var credentialWords = []string{"authorization", "cookie", "key", "password", "secret", "signature", "token"}

// hide returns a copy of h in which values that may be credentials are masked.
func hide(h http.Header) http.Header {
	clean := h.Clone()
	for name := range clean {
		for _, word := range credentialWords {
			if strings.Contains(strings.ToLower(name), word) {
				clean[name] = []string{hidden}
			}
		}
	}
	return clean
}

// size returns the approximate size of r in bytes.
func (r *Request) size() int {
	n := len(r.URL) + len(r.Body)
	for name, values := range r.Header {
		n += len(name)
		for _, value := range values {
			n += len(value)
		}
	}
	return n
}

// A Journal holds the most recent requests. The zero Journal is empty and ready to use.
type Journal struct {
	mu      sync.Mutex
	entries []*Entry
	bytes   int
	changes int           // the number of changes so far
	clears  int           // the number of calls to Clear so far
	changed chan struct{} // created on demand; closed and set to nil by the next change
}

// An Entry is a request in a journal.
type Entry struct {
	request Request
	size    int
	changed int // the number of the last change to the entry
}

// Add adds r to the journal, and returns the entry to pass to [Journal.Update].
func (j *Journal) Add(r Request) *Entry {
	r.Header = hide(r.Header)
	e := &Entry{request: r, size: r.size()}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
	j.bytes += e.size
	for len(j.entries) > maxRequests || j.bytes > maxBytes {
		j.bytes -= j.entries[0].size
		j.entries[0] = nil // so that the garbage collector can free the entry
		j.entries = j.entries[1:]
	}
	j.notify()
	e.changed = j.changes
	return e
}

// Update calls the function with e's request. The function must not modify the URL, the headers or
// the body, because Add has already counted their size.
func (j *Journal) Update(e *Entry, change func(*Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&e.request)
	j.notify()
	e.changed = j.changes
}

// Clear removes all requests.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.bytes = nil, 0
	j.clears++
	j.notify()
}

// Touch announces a change outside the journal, so that the page shows the change right away.
func (j *Journal) Touch() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notify()
}

// notify counts a change, and wakes the event streams that wait for one.
func (j *Journal) notify() {
	j.changes++
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// Requests returns all requests in order of arrival.
func (j *Journal) Requests() []Request { return j.since(0).requests }

// news contains the changes to a journal since an earlier change.
type news struct {
	requests []Request       // new and changed requests
	changes  int             // the number of the last change
	clears   int             // the number of times that the journal was cleared
	next     <-chan struct{} // closed by the next change
}

// since returns the changes after the change with the given number.
func (j *Journal) since(change int) news {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	n := news{requests: []Request{}, changes: j.changes, clears: j.clears, next: j.changed}
	for _, e := range j.entries {
		if e.changed > change {
			n.requests = append(n.requests, e.request)
		}
	}
	return n
}
