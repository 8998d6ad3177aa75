package serve

import (
	"bytes"
	"net/http"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/control"
	"github.com/lro-go/lro/fakes"
)

// An exchange is a request and its response.
type exchange struct {
	session *session
	n       int // the number of the request in its session, from 1
	arrival int // like n, but counted since lro serve started, regardless of resets
	at      time.Time
	req     *http.Request
	body    []byte // the request body

	kind   fakes.Kind
	nth    int      // the number of the request among the session's requests of its kind, from 1
	faults []string // the actions of the faults that hit the request, such as 503=10s
	waits  bool     // whether one of these actions delays or withholds the response
	shown  bool     // whether the line for this exchange is already in the log

	operation string         // the ID of the operation that the request started, read or canceled
	journaled *control.Entry // nil if there is no journal

	took     time.Duration
	response *tap
	dropped  bool // whether the connection was closed before the end of the response
}

func (x *exchange) base() string { return baseURL(x.req) }

// baseURL returns the scheme and the host of the URL that the client used for r.
func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

type exchangeKey struct{}

// exchangeOf returns the exchange of r, for the simulator's middleware.
func exchangeOf(r *http.Request) *exchange { return r.Context().Value(exchangeKey{}).(*exchange) }

// A tap passes a response on to the client and keeps a copy.
type tap struct {
	http.ResponseWriter
	code    int         // 0 until the headers are sent
	header  http.Header // the headers that were sent
	body    bytes.Buffer
	flushed bool
}

func (t *tap) WriteHeader(code int) {
	if t.code == 0 && code >= 200 {
		t.code, t.header = code, t.Header().Clone()
	}
	t.ResponseWriter.WriteHeader(code)
}

func (t *tap) Write(p []byte) (int, error) {
	t.begin()
	n, err := t.ResponseWriter.Write(p) // for a 204 or 304, this writes no body and returns an error
	t.body.Write(p[:n])
	return n, err
}

// Flush implements [http.Flusher].
func (t *tap) Flush() {
	t.begin()
	t.flushed = true
	_ = http.NewResponseController(t.ResponseWriter).Flush() // ignore the error, because http.Flusher cannot return one
}

// Unwrap returns the original writer, for [http.ResponseController].
func (t *tap) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tap) begin() {
	if t.code == 0 {
		t.WriteHeader(http.StatusOK)
	}
}
