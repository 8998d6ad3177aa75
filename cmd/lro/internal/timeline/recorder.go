// Package timeline draws an SVG of the wait for one operation: the status that the client knew at
// any time, the requests that the client sent, and the pauses between them.
//
// The package records requests, responses and statuses as times and short strings, and defines how
// the picture looks. It knows nothing about flags or about the file that --timeline names, and it
// neither starts nor follows an operation. It is a separate package because it needs no other code
// of the lro command.
//
// Start reading at Recorder, an http.RoundTripper that sees every request. The caller reports each
// status with Status and the end of the wait with End. Draw writes the picture.
package timeline

import (
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A Recorder is an http.RoundTripper that records one wait. Set it as the Base in
// transport.Options, so that it sees every attempt to send a request.
type Recorder struct {
	base http.RoundTripper

	mu   sync.Mutex
	sent []exchange // the attempts since the last reading
	wait wait
}

// An exchange is one attempt to send a request, with its response.
type exchange struct {
	method, url string
	from, to    time.Time
	code        int            // 0 if there was no response
	asked       *time.Duration // the pause that the response requested, or nil
}

// NewRecorder returns a Recorder that sends requests through base, or through http.DefaultTransport if
// base is nil.
func NewRecorder(base http.RoundTripper) *Recorder {
	if base == nil {
		base = http.DefaultTransport
	}
	return &Recorder{base: base}
}

// RoundTrip sends a request and records it, but without the URL's query, which may contain a
// signature.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	e := exchange{method: req.Method, url: req.URL.Path, from: time.Now()}
	resp, err := r.base.RoundTrip(req)
	e.to = time.Now()
	if err == nil {
		e.code = resp.StatusCode
		if pause, ok := transport.RetryAfter(resp.Header, e.to); ok {
			e.asked = &pause
		}
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(e.from)
	if r.wait.name == "" {
		r.wait.name = e.method + " " + e.url
	}
	r.sent = append(r.sent, e)
	return resp, err
}

// begin sets the start of the wait, unless it is already set.
func (r *Recorder) begin(at time.Time) {
	if r.wait.start.IsZero() {
		r.wait.start = at
	}
}

// Status records what the client knows after the requests sent so far. Call it for each status that
// Poller.Updates yields.
func (r *Recorder) Status(s poller.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.begin(now)
	rd := reading{kind: poll, sent: now, done: now, state: string(s.State), word: s.Word}
	if len(r.wait.readings) == 0 {
		rd.kind = begin
	}
	if s.ReadErr != nil {
		rd.err = s.ReadErr.Error()
	}
	r.add(rd, r.sent)
	r.sent = nil
}

// End records the end of the wait. err is the error that ended the wait, if any.
func (r *Recorder) End(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.begin(now)
	r.wait.end = now.Sub(r.wait.start)
	if err != nil {
		r.wait.err = err.Error()
	}
	last := r.wait.last()
	for i, e := range r.sent {
		rd := reading{kind: last.nextKind(), sent: e.from, done: e.to, state: last.state, word: last.word}
		if i < len(r.sent)-1 || err != nil {
			rd.err = "the response was not usable"
		}
		r.add(rd, r.sent[i:i+1])
	}
	r.sent = nil
}

// nextKind returns the kind of the reading that follows r.
func (r reading) nextKind() kind {
	if r.ended() {
		return result
	}
	if r.state == "" {
		return begin
	}
	return poll
}

// add adds a reading to the wait, with the details of the last request sent. It ignores earlier
// requests with another method or URL, such as a cancellation.
func (r *Recorder) add(rd reading, sent []exchange) {
	if n := len(sent); n > 0 {
		last := sent[n-1]
		rd.method = last.method
		rd.code = last.code
		rd.asked = last.asked
		for i := n - 1; i >= 0 && sent[i].method == last.method && sent[i].url == last.url; i-- {
			rd.sent = sent[i].from
			rd.attempts++
		}
	}
	rd.from = rd.sent.Sub(r.wait.start)
	rd.at = rd.done.Sub(r.wait.start)
	r.wait.readings = append(r.wait.readings, rd)
}
