package serve_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

var update = flag.Bool("update", false, "write the recording into poller/testdata")

// A poller gets the same outcome from a recording as from the simulator, with the same requests at
// the same times. The recording is in poller/testdata, so the tests of package poller replay it
// too.
func TestRecord(t *testing.T) {
	const golden = "../../../../poller/testdata/recorded-by-lro-serve.http"
	var recorded bytes.Buffer
	first := wait(t, func() http.Handler {
		h, err := serve.Handler(io.Discard, &recorded, "--duration=2m", "--retry-after=30s", "--fault=poll:2:503=10s", "--fault=poll:3:drop")
		require.NoError(t, err)
		return h
	})
	require.Equal(t, `{"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":1},"type":"widgets"}`, first.result)

	if *update {
		require.NoError(t, os.WriteFile(golden, append([]byte(goldenHead), recorded.Bytes()...), 0o644))
	}
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(text), "###")
	require.Equal(t, string(text), head+recorded.String(), "to write the recording, run go test ./internal/serve -update")

	var transcript *fakes.Transcript
	second := wait(t, func() http.Handler {
		transcript, err = fakes.ReadTranscript(&recorded)
		require.NoError(t, err)
		return transcript
	})
	require.Equal(t, first, second)
	require.NoError(t, transcript.Err())
	require.Zero(t, transcript.Remaining())
}

const goldenHead = `# Recorded with
#   lro serve --duration 2m --retry-after 30s --fault poll:2:503=10s --fault poll:3:drop --record FILE
# expect: result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":1},"type":"widgets"}
# elapsed: 2m

`

// A course describes a wait: its result, its duration and its requests.
type course struct {
	result   string
	elapsed  time.Duration
	requests []string
}

// wait creates a widget on the given service in a synctest bubble, waits until the widget is ready,
// and returns the course of the wait.
func wait(t *testing.T, service func() http.Handler) (c course) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := service()
		client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.requests = append(c.requests, time.Since(start).String()+" "+r.Method+" "+r.URL.String())
			h.ServeHTTP(w, r)
		}))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, origin+"/widgets/w1?api-version=1", strings.NewReader(`{"properties":{"size":1}}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer secret")
		p, err := poller.Begin[json.RawMessage](req, client, nil)
		require.NoError(t, err)
		result, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		c.result, c.elapsed = string(result), time.Since(start)
	})
	return c
}

// A client that runs a script against the recording gets the same responses as from the simulator.
func TestRecordedFaults(t *testing.T) {
	tests := map[string]struct{ args, script string }{
		"a failure":          {"--end failed --duration 0s", "PUT /widgets/w1, POLL"},
		"a page":             {"", "GET /widgets, GET /widgets?$skiptoken=2"},
		"no body":            {"", "DELETE /widgets/none, DELETE /widgets/item1"},
		"html":               {"--fault html", "GET /widgets"},
		"a truncated body":   {"--fault truncate=5", "GET /widgets/item1"},
		"a dropped request":  {"--fault 1:drop", "GET /widgets/item1, GET /widgets/item1"},
		"an empty 200":       {"--quirk W6 --duration 0s", "DELETE /widgets/item1, POLL"},
		"a challenge":        {"--fault challenge", "GET /widgets"},
		"a HEAD":             {"", "HEAD /widgets/item1"},
		"relative IBM links": {"--style ibmcloud", "GET /v2/resource_instances"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var recorded bytes.Buffer
				h, err := serve.Handler(io.Discard, &recorded, strings.Fields(tt.args)...)
				require.NoError(t, err)
				want := converse(t, h, tt.script)
				transcript, err := fakes.ReadTranscript(bytes.NewReader(recorded.Bytes()))
				require.NoError(t, err, recorded.String())
				require.Equal(t, want, converse(t, transcript, tt.script), recorded.String())
				require.NoError(t, transcript.Err())
				require.Zero(t, transcript.Remaining())
			})
		})
	}
}

// converse runs a script against h and returns the responses.
func converse(t *testing.T, h http.Handler, script string) (got []string) {
	c := &client{Client: http.Client{Transport: &fakes.Transport{Handler: h}}}
	for step := range strings.SplitSeq(script, ", ") {
		got = append(got, c.do(t, step))
		got = append(got, fmt.Sprint(c.header), string(c.body))
	}
	return got
}
