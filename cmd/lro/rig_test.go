package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// A rig runs the program in an empty folder, against a service in the same process. Each run has
// its own testing/synctest bubble, so pauses take no real time.
type rig struct {
	*fakes.Service
	t         *testing.T
	origin    string
	env       []string
	stdin     string
	interrupt context.CancelCauseFunc // interrupts the current run as Ctrl-C would

	interrupted bool // whether each run is interrupted before it starts
}

func newRig(t *testing.T, svc *fakes.Service) *rig {
	t.Helper()
	t.Chdir(t.TempDir())
	return &rig{Service: svc, t: t, origin: "https://a.test", env: os.Environ()}
}

// serve serves the rig's service on a loopback port, for programs in a separate process.
func (r *rig) serve() {
	server := httptest.NewServer(r.Service)
	r.t.Cleanup(server.Close)
	r.origin = server.URL
}

// ended is the outcome of a run: the exit code, standard output and standard error.
type ended struct {
	code     int
	out, err string
}

// run runs a verb. A target that starts with a slash is a path on the rig's service. Any other
// target is a URL or a file name.
func (r *rig) run(verb, target string, flags ...string) ended {
	r.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = r.origin + target
	}
	return r.exec(append([]string{verb, target}, flags...)...)
}

func (r *rig) exec(args ...string) (got ended) {
	r.t.Helper()
	synctest.Test(r.t, func(t *testing.T) {
		ctx, interrupt := context.WithCancelCause(t.Context())
		defer interrupt(nil)
		r.interrupt = interrupt
		if r.interrupted {
			interrupt(output.StopError{Text: "stopped by a signal", Err: context.Canceled})
		}
		var out, stderr bytes.Buffer
		c := &command{stdin: strings.NewReader(r.stdin), stdout: &out, stderr: &stderr, env: r.env, base: &fakes.Transport{Handler: r.Service}}
		got.code = c.run(ctx, args)
		got.out, got.err = out.String(), stderr.String()
	})
	return got
}

// onRequest passes each request of the given kind to f before the service handles it.
func (r *rig) onRequest(kind fakes.Kind, f func(*http.Request)) {
	r.Fault(fakes.Fault{Kind: kind, Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			f(req)
			next.ServeHTTP(w, req)
		})
	}})
}

// sent returns the method and path of each request.
func (r *rig) sent() []string {
	var all []string
	for _, req := range r.Requests() {
		all = append(all, req.Method+" "+req.Path)
	}
	return all
}

// failure decodes the JSON error on the last line of standard output.
func (e ended) failure(t *testing.T) output.Failure {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(e.out), "\n")
	var doc struct{ Error *output.Failure }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &doc), "%+v", e)
	require.NotNil(t, doc.Error, "%+v", e)
	return *doc.Error
}

// words returns the service's own words from the status lines on standard error.
func (e ended) words(t *testing.T) []string {
	t.Helper()
	var words []string
	for line := range strings.Lines(e.err) {
		var doc struct{ Status *struct{ Word string } }
		require.NoError(t, json.Unmarshal([]byte(line), &doc), line)
		if doc.Status != nil {
			words = append(words, doc.Status.Word)
		}
	}
	return words
}
