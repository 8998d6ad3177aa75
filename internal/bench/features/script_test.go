package features

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes"
)

// The scripts use ARM's host, because go-azure-sdk does not retry some connection failures at other
// hosts.
const (
	arm     = "https://management.azure.com"
	widgetW = group + "/widgets/w"
	restart = widgetW + "/restart"
	polled  = "GET " + operation
	getW    = "GET " + widgetW
	putW    = "PUT " + widgetW
	postW   = "POST " + restart
	deleteW = "DELETE " + widgetW
)

// A script answers this many requests and refuses further ones with a 400, so that no wait lasts
// forever.
const enough = 600

const notFound = `{"error":{"code":"NotFound","message":"There is no such thing."}}`

// A script lists a service's responses for each method and path, in order. The last response is
// repeated.
type script map[string][]http.HandlerFunc

// A question is a request that the service received.
type question struct {
	at     time.Duration // since the operation started
	what   string        // method and path
	host   string
	header http.Header
}

// scripted is an http.RoundTripper that plays a script.
type scripted struct {
	script script
	began  time.Time
	broken string // method and path of the requests that fail with a certificate error

	instead http.RoundTripper // answers requests instead of the script, if not nil

	mu    sync.Mutex
	asked []question
	turns map[string]int
}

func played(s script) *scripted {
	return &scripted{script: s, began: time.Now(), turns: map[string]int{}}
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.instead != nil {
		return s.instead.RoundTrip(req)
	}
	answer := s.next(req)
	if s.broken == req.Method+" "+req.URL.Path {
		return nil, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	}
	return (&fakes.Transport{Handler: answer}).RoundTrip(req)
}

// next records a request and chooses its response.
func (s *scripted) next(req *http.Request) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := req.Method + " " + req.URL.Path
	s.asked = append(s.asked, question{time.Since(s.began), what, req.URL.Scheme + "://" + req.URL.Host, req.Header.Clone()})
	answers := s.script[what]
	switch {
	case len(s.asked) > enough:
		return says(http.StatusBadRequest, `{"error":{"code":"Enough","message":"No more of that."}}`)
	case len(answers) == 0:
		return says(http.StatusNotFound, notFound)
	}
	turn := s.turns[what]
	s.turns[what]++
	return answers[min(turn, len(answers)-1)]
}

// of returns the recorded requests with the given method and path.
func (s *scripted) of(what string) []question {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []question
	for _, q := range s.asked {
		if q.what == what {
			all = append(all, q)
		}
	}
	return all
}

// says returns a handler that sends the given response. The body is JSON unless the headers set
// another Content-Type.
func says(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if body != "" {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// lost drops the connection without sending a response.
func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func turns(answers ...http.HandlerFunc) []http.HandlerFunc { return answers }

// times returns a list of n copies of one answer, followed by the other answers.
func times(n int, answer http.HandlerFunc, then ...http.HandlerFunc) []http.HandlerFunc {
	var all []http.HandlerFunc
	for range n {
		all = append(all, answer)
	}
	return append(all, then...)
}

// inAccepted returns a list that contains a 202 with the given headers.
func inAccepted(header ...string) []http.HandlerFunc {
	return turns(says(http.StatusAccepted, "", header...))
}

// created returns a list that contains a 201 whose body is the resource in the state Creating.
func created(header ...string) []http.HandlerFunc {
	return turns(says(http.StatusCreated, string(resource("Creating")), header...))
}

// withStatus returns a handler that sends a status document with the given status.
func withStatus(status string, header ...string) http.HandlerFunc {
	return says(http.StatusOK, string(document(status)), header...)
}

// shown returns a handler that sends the resource in the given state.
func shown(state string, header ...string) http.HandlerFunc {
	return says(http.StatusOK, string(resource(state)), header...)
}

// asyncPut returns a script for a PUT whose response has an Azure-AsyncOperation header. The polls
// get the given responses.
func asyncPut(polls ...http.HandlerFunc) script {
	return script{
		putW:   created("Azure-AsyncOperation", arm+operation+version),
		polled: polls,
		getW:   turns(shown("Succeeded")),
	}
}

// locationPost returns a script for a POST whose response has a Location header. The polls get the
// given responses.
func locationPost(polls ...http.HandlerFunc) script {
	return script{postW: inAccepted("Location", arm+operation+version), polled: polls}
}

// statePut returns a script for a PUT whose status appears only in the resource. The polls get the
// given responses.
func statePut(polls ...http.HandlerFunc) script {
	return script{putW: created(), getW: polls}
}

// begins returns the method and path of the request that starts the operation.
func (s script) begins() (method, path string) {
	for _, what := range []string{putW, postW, deleteW} {
		if _, ok := s[what]; ok {
			method, path, _ = strings.Cut(what, " ")
			return method, path
		}
	}
	panic("the script has no request that starts the operation")
}
