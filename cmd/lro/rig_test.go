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

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// A rig has a service on a loopback port, and runs the command against it in an
// empty folder.
type rig struct {
	*fakes.Service
	t      *testing.T
	origin string
	env    []string
	stdin  string
}

func newRig(t *testing.T, svc *fakes.Service) *rig {
	t.Helper()
	t.Chdir(t.TempDir())
	server := httptest.NewServer(svc)
	t.Cleanup(server.Close)
	svc.Fault(fakes.Fault{Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// The plans that ask for no pause ask for the shortest.
			fakes.Edit(func(a *fakes.Answer) {
				if a.Header.Get("Retry-After") == "" {
					a.Header.Set("Retry-After-Ms", "1")
				}
			})(next).ServeHTTP(w, r)
		})
	}})
	return &rig{Service: svc, t: t, origin: server.URL, env: os.Environ()}
}

// An ended run.
type ended struct {
	code     int
	out, err string
}

// run runs a verb on a path of the service, or a file, with the shortest pauses.
func (r *rig) run(ctx context.Context, verb, target string, flags ...string) ended {
	r.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = r.origin + target
	}
	return r.exec(ctx, append([]string{verb, target, "--min=1ms"}, flags...)...)
}

func (r *rig) exec(ctx context.Context, args ...string) ended {
	r.t.Helper()
	var out, stderr bytes.Buffer
	code := run(ctx, args, strings.NewReader(r.stdin), &out, &stderr, r.env)
	return ended{code, out.String(), stderr.String()}
}

// failure returns the error that the last line of the output is.
func (e ended) failure(t *testing.T) failure {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(e.out), "\n")
	var doc struct{ Error *failure }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &doc), "%+v", e)
	require.NotNil(t, doc.Error, "%+v", e)
	return *doc.Error
}

// words are those of the statuses that were shown.
func (e ended) words(t *testing.T) []string {
	t.Helper()
	var words []string
	for line := range strings.Lines(e.err) {
		var doc struct{ Status *statusLine }
		require.NoError(t, json.Unmarshal([]byte(line), &doc), line)
		if doc.Status != nil {
			words = append(words, doc.Status.Word)
		}
	}
	return words
}
