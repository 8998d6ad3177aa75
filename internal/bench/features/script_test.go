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

// What the features are played with. The host is ARM's, because go-azure-sdk bears
// more of it than of others.
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

// enough is how many requests a script answers. More of them are refused, so that a
// wait without an end has one.
const enough = 600

const notFound = `{"error":{"code":"NotFound","message":"There is no such thing."}}`

// A script is a service: what it answers to each method and path, in turn. The last
// answer is repeated. All hosts are one.
type script map[string][]http.HandlerFunc

// A question is a request as the service got it.
type question struct {
	at     time.Duration // since the operation was begun
	what   string        // method and path
	host   string
	header http.Header
}

// A scripted is a script that is played, as a http.RoundTripper.
type scripted struct {
	script script
	began  time.Time
	broken string // the method and path whose certificate does not verify

	instead http.RoundTripper // answers in place of the script, where there is one

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

// next keeps a request, and chooses its answer.
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

// of are the requests with a method and path.
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

// says is an answer, in JSON unless the headers say other.
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

// lost is a connection that is closed in place of an answer.
func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// turns puts answers in a row.
func turns(answers ...http.HandlerFunc) []http.HandlerFunc { return answers }

// times is an answer that comes n times, and then others.
func times(n int, answer http.HandlerFunc, then ...http.HandlerFunc) []http.HandlerFunc {
	var all []http.HandlerFunc
	for range n {
		all = append(all, answer)
	}
	return append(all, then...)
}

// inAccepted begins an operation with the headers.
func inAccepted(header ...string) []http.HandlerFunc {
	return turns(says(http.StatusAccepted, "", header...))
}

// created begins an operation with the resource that is being created.
func created(header ...string) []http.HandlerFunc {
	return turns(says(http.StatusCreated, string(resource("Creating")), header...))
}

// told is a status document.
func told(status string, header ...string) http.HandlerFunc {
	return says(http.StatusOK, string(document(status)), header...)
}

// shown is the resource.
func shown(state string, header ...string) http.HandlerFunc {
	return says(http.StatusOK, string(resource(state)), header...)
}

// asyncPut is a PUT with Azure-AsyncOperation, and what its polls are answered.
func asyncPut(polls ...http.HandlerFunc) script {
	return script{
		putW:   created("Azure-AsyncOperation", arm+operation+version),
		polled: polls,
		getW:   turns(shown("Succeeded")),
	}
}

// locationPost is a POST with Location, and what its polls are answered.
func locationPost(polls ...http.HandlerFunc) script {
	return script{postW: inAccepted("Location", arm+operation+version), polled: polls}
}

// statePut is a PUT whose resource tells, and what that is answered.
func statePut(polls ...http.HandlerFunc) script {
	return script{putW: created(), getW: polls}
}

// begins is the request that a script begins with.
func (s script) begins() (method, path string) {
	for _, what := range []string{putW, postW, deleteW} {
		if _, ok := s[what]; ok {
			method, path, _ = strings.Cut(what, " ")
			return method, path
		}
	}
	panic("a script without a beginning")
}
