package fakes

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Transcript replays the service's side of a recorded conversation. [ReadTranscript] creates one.
//
// As an [http.Handler], it compares each request with the next recorded one and, if they match,
// sends the recorded response. The method, the path and the query must be the same, byte for byte.
// Every recorded header must be present with the same values; the request may have others as well.
// A recorded body is compared as JSON if both bodies are JSON, and byte for byte otherwise. The
// host is compared only if the recorded request line has one (GET https://a.test/x HTTP/1.1) and
// AnyHost is not set. Content-Length and Transfer-Encoding are not compared.
//
// Any other request gets 417 Expectation Failed, with a body that describes the difference. No
// client retries a 417 or mistakes it for a response from the service. At the end, a test should
// check Err and Remaining.
//
// A Transcript is safe for concurrent use, but requests must arrive in the recorded order.
type Transcript struct {
	// AnyHost turns off the comparison of hosts, so that a server at a different address can replay
	// the transcript.
	AnyHost bool

	// KeepRequests is the maximum number of requests that [Transcript.Requests] returns; no limit
	// by default. The transcript forgets older requests.
	KeepRequests int

	log requestLog

	mu        sync.Mutex
	exchanges []recorded // the exchanges that have not been replayed yet
	err       error
}

// Err returns the first difference between a request and the recorded one, or nil if all requests
// so far have matched.
func (t *Transcript) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Remaining returns the number of recorded requests that have not arrived yet.
func (t *Transcript) Remaining() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.exchanges)
}

// Requests returns a copy of all requests so far, or of the last KeepRequests, including requests
// that did not match.
func (t *Transcript) Requests() []Request { return t.log.copy() }

// ServeHTTP sends the next recorded response if r matches the recorded request, and a 417
// otherwise.
func (t *Transcript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entry, err := t.log.add(r, t.KeepRequests)
	if err != nil {
		panic(http.ErrAbortHandler) // the client disconnected during the request
	}
	w = &watcher{ResponseWriter: w, log: &t.log, entry: entry}
	next, err := t.next(r, entry.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusExpectationFailed)
		return
	}
	if err := next.play(w, r); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// next removes and returns the next exchange if r matches it. Otherwise, it returns an error that
// describes the difference.
func (t *Transcript) next(r *http.Request, body []byte) (recorded, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := fmt.Errorf("%s %s after the end of the transcript", r.Method, r.RequestURI)
	if len(t.exchanges) > 0 {
		err = t.exchanges[0].differs(r, body, t.AnyHost)
	}
	if err != nil {
		err = fmt.Errorf("fakes: %w", err)
		if t.err == nil {
			t.err = err
		}
		return recorded{}, err
	}
	next := t.exchanges[0]
	t.exchanges = t.exchanges[1:]
	return next, nil
}

// recorded is one exchange of a transcript: a request and its response.
type recorded struct {
	request  message
	response message
	dropped  bool          // close the connection after the response, which may be incomplete
	wait     time.Duration // how long to wait before the response
}

// differs returns an error that describes how r differs from the recorded request, or nil if they
// match.
func (e recorded) differs(r *http.Request, body []byte, anyHost bool) error {
	want, err := e.request.asRequest(engine.BaseURL(r))
	if err != nil {
		return err
	}
	got := r.Method + " " + r.URL.RequestURI()
	if line := want.Method + " " + want.URL.RequestURI(); got != line {
		return fmt.Errorf("got %s, want %s (line %d)", got, line, e.request.line)
	}
	if !anyHost && want.URL.Host != "" && want.URL.Host != r.Host {
		return fmt.Errorf("%s: got host %s, want %s", got, r.Host, want.URL.Host)
	}
	for name, values := range want.Header {
		if name != "Content-Length" && !slices.Equal(values, r.Header[name]) {
			return fmt.Errorf("%s: got %s %q, want %q", got, name, r.Header[name], values)
		}
	}
	wantBody, err := io.ReadAll(want.Body)
	if err != nil {
		return err
	}
	if len(wantBody) > 0 && !sameBody(body, wantBody) {
		return fmt.Errorf("%s: got body %.200q, want %.200q", got, body, wantBody)
	}
	return nil
}

// play sends the recorded response. If it returns an error, the caller must close the connection.
func (e recorded) play(w http.ResponseWriter, r *http.Request) error {
	if err := wait(r.Context(), e.wait); err != nil {
		return err
	}
	if e.response.head == nil {
		return http.ErrAbortHandler
	}
	resp, err := e.response.asResponse(engine.BaseURL(r), r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	maps.Copy(w.Header(), resp.Header)
	if e.response.chunked {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w).Flush
	if e.response.chunked {
		_ = flush() // makes net/http send a chunked response
	}
	_, err = io.Copy(w, resp.Body)
	if err == nil && e.dropped {
		err = http.ErrAbortHandler
	}
	if err != nil {
		_ = flush() // send the incomplete response before the connection closes
	}
	return err
}

// sameBody reports whether two bodies are equal. It compares them as JSON if both are JSON, and
// byte for byte otherwise.
func sameBody(got, want []byte) bool {
	g, gerr := engine.Decode(got)
	w, werr := engine.Decode(want)
	if gerr != nil || werr != nil {
		return bytes.Equal(got, want)
	}
	return reflect.DeepEqual(g, w)
}
