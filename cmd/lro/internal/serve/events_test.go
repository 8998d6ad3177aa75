package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A stream reads events one at a time.
type stream struct {
	t     *testing.T
	lines *bufio.Reader
	start time.Time
}

// events opens an event stream that stays open until stop is called.
func (c *console) events() (s *stream, stop func()) {
	c.Helper()
	ctx, cancel := context.WithCancel(c.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/events", http.NoBody)
	require.NoError(c, err)
	resp, err := c.controls.Do(req) //nolint:bodyclose // stop closes it
	require.NoError(c, err)
	return &stream{c.T, bufio.NewReader(resp.Body), time.Now()}, func() {
		cancel()
		resp.Body.Close()
	}
}

// require waits for the next event, and checks its members and its time of arrival, measured from
// the start of the stream.
func (s *stream) require(when time.Duration, members map[string]any) {
	s.t.Helper()
	line, err := s.lines.ReadString('\n')
	require.NoError(s.t, err)
	text, found := strings.CutPrefix(line, "data: ")
	require.True(s.t, found, line)
	blank, err := s.lines.ReadString('\n')
	require.NoError(s.t, err)
	require.Equal(s.t, "\n", blank)
	require.Equal(s.t, when, time.Since(s.start), text)
	var doc any
	require.NoError(s.t, json.Unmarshal([]byte(text), &doc))
	for path, want := range members {
		require.Equal(s.t, want, at(doc, path), "%s of %s", path, text)
	}
}

// The first event of a stream lists the requests, operations and faults, and later events contain
// only changes. A change that a request or a command causes arrives after a tenth of a second, and
// any other change within half a second.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--duration=1m", "--fault=list:503")
		c.require(c.do, "PUT /widgets/w0 {}", 201, nil)
		s, stop := c.events()
		defer stop()
		s.require(0, members{
			"now": "2000-01-01T00:00:00Z", "reset": true, "service": "http://127.0.0.1:8089", "operations.#": 1, "operations.0.path": "/widgets/w0",
			"requests.#": 1, "requests.0.url": "/widgets/w0", "requests.0.header": nil, "requests.0.body": nil, "faults.#": 1, "faults.0.fault": "list:503",
		})

		time.Sleep(10*time.Second + 250*time.Millisecond)
		c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
		s.require(10_350*time.Millisecond, members{"reset": nil, "faults": nil, "operations.#": 2, "operations.1.path": "/widgets/w1", "operations.1.status": "Accepted", "requests.#": 1, "requests.0.n": 2.0, "requests.0.done": true})
		c.require(c.do, statusURL(2), 200, nil)
		c.require(c.do, "GET /widgets/item1", 200, nil)
		s.require(10_450*time.Millisecond, members{"operations": nil, "requests.#": 2, "requests.0.operation": id(2), "requests.1.n": 4.0, "requests.1.operation": nil})

		c.require(c.control, `POST /faults {"fault": "418"}`, 201, nil)
		s.require(10_550*time.Millisecond, members{"operations": nil, "requests": nil, "faults.#": 2})

		time.Sleep(1200 * time.Millisecond) // while nothing changes, the stream checks only every half second
		c.require(c.control, "POST /operations/"+id(1)+"/cancel", 200, nil)
		s.require(11_850*time.Millisecond, members{"requests": nil, "operations.0.status": "Canceled", "operations.0.error.code": "Canceled", "operations.1.status": "Accepted"})
		s.require(70_350*time.Millisecond, members{"requests": nil, "operations.1.status": "Succeeded", "operations.1.end": "2000-01-01T00:01:10.25Z"})

		c.require(c.control, "POST /reset", 204, nil)
		s.require(70_450*time.Millisecond, members{"reset": true, "requests": nil, "operations.#": 0, "faults.#": 1})
	})
}

// The first event of a stream contains only the last 100 requests and the last 100 operations.
func TestEventsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--duration=0s", "--retry-after=0s")
		for range 150 {
			c.require(c.do, "POST /widgets/item1/start", 202, nil)
		}
		s, stop := c.events()
		defer stop()
		s.require(0, members{"requests.#": 100, "requests.0.n": 51.0, "operations.#": 100, "operations.99.id": id(150)})
	})
}
