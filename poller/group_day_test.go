package poller_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A dayService runs operations for up to half an hour each. A third of its responses are faulty. To
// save memory, it stores only one time for each operation: the earliest time of the next read.
// Everything else follows from the operation's name and the time.
type dayService struct {
	began             time.Time
	asked, bad, early atomic.Int64
	notBefore         [fleetSize]time.Duration
}

// drawn returns a pseudorandom number below n that depends only on name and salt.
func drawn(name, salt string, n int) int {
	h := fnv.New64a()
	_, _ = io.WriteString(h, salt+name)
	return int(h.Sum64() >> 11 % uint64(n))
}

// takes returns the end time of an operation, relative to the start of the day.
func takes(name string) time.Duration {
	return begins(name) + time.Duration(1+drawn(name, "takes", 1800))*time.Second
}

// begins returns the start time of an operation, relative to the start of the day. The starts are
// spread over the first 22 hours.
func begins(name string) time.Duration {
	n, _ := strconv.Atoi(name)
	return time.Duration(n) * 22 * time.Hour / fleetSize
}

func (s *dayService) Do(req *http.Request) (*http.Response, error) {
	name := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
	age := time.Since(s.began)
	n, _ := strconv.Atoi(name)
	notBefore := s.notBefore[n]
	s.notBefore[n] = age + 10*time.Minute // without a Retry-After, the poller keeps the first response's pause
	if req.Method == http.MethodPost {
		return s.answer(req, 202, "", "Location", "/ops/"+name, "Retry-After", "600")
	}
	if s.asked.Add(1); age < notBefore {
		s.early.Add(1)
	}
	switch fault := drawn(name, age.String(), 3*8); fault {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		s.bad.Add(1)
		pause := []time.Duration{30, 60, 90, 120, 10, 10, 10, 10}[fault] * time.Second
		s.notBefore[n] = age + pause
		return s.fault(req, fault, pause)
	}
	switch {
	case age < takes(name):
		return s.answer(req, 202, "", "Location", "/ops/"+name)
	case drawn(name, "fails", 3) == 0:
		return s.answer(req, 409, `{"error":{"code":"`+name+`","message":"refused"}}`)
	}
	return s.answer(req, 200, name)
}

// fault returns the nth of eight faulty responses. None reports the operation's status, and half of
// them ask for a pause.
func (s *dayService) fault(req *http.Request, n int, pause time.Duration) (*http.Response, error) {
	asked := strconv.Itoa(int(pause.Seconds()))
	switch n {
	case 0, 1, 2:
		return s.answer(req, 429, "", "Retry-After", asked)
	case 3:
		return s.answer(req, 503, "", "Retry-After", asked)
	case 4:
		return s.answer(req, 500, `{"error":{"code":"Internal","message":"try again"}}`)
	case 5:
		return s.answer(req, 200, "<html>")
	case 6:
		return s.answer(req, 408, "")
	}
	return nil, io.ErrUnexpectedEOF
}

func (s *dayService) answer(req *http.Request, code int, body string, header ...string) (*http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// Even if a service throttles requests and is often faulty, a group yields each operation once,
// soon after its end, and never reads an operation too early.
func TestFleetForADay(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		s := &dayService{began: time.Now()}
		g := poller.NewGroup[namedPoller](nil)
		go func() {
			defer g.Close()
			for i := range fleetSize {
				name := strconv.Itoa(i)
				time.Sleep(time.Until(s.began.Add(begins(name))))
				g.Add(startNamed(t, s, name))
			}
		}()
		ended, late := make([]bool, fleetSize), time.Duration(0)
		for p, err := range g.Wait(t.Context()) {
			require.False(t, ended[p.n], "an operation must be yielded only once")
			ended[p.n] = true
			requireDecided(t, p, err)
			late = max(late, time.Since(s.began)-takes(strconv.Itoa(p.n)))
		}
		require.NotContains(t, ended, false)
		st := g.Stats()
		require.Equal(t, poller.GroupStats{Ended: fleetSize, Polls: int(s.asked.Load()), Errors: int(s.bad.Load())}, st)
		require.InDelta(t, 1.0/3, float64(st.Errors)/float64(st.Polls), 0.02)
		require.Zero(t, s.early.Load(), "no read may come earlier than the service asked")
		require.Less(t, late, 90*time.Minute)
		t.Logf("%d polls, %d faulty; the last end was known %s late", st.Polls, st.Errors, late)
	})
}

type namedPoller struct {
	*poller.Poller[int]
	n int
}

func startNamed(t *testing.T, s poller.Doer, name string) namedPoller {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, origin+"/begin/"+name, http.NoBody)
	require.NoError(t, err)
	p, err := poller.Begin[int](req, s, &poller.Options{Patience: poller.Patience{Time: 24 * time.Hour, Failures: 100}})
	require.NoError(t, err)
	n, err := strconv.Atoi(name)
	require.NoError(t, err)
	return namedPoller{p, n}
}

// requireDecided requires that an operation ended with the outcome that the service chose.
func requireDecided(t *testing.T, p namedPoller, err error) {
	name := strconv.Itoa(p.n)
	if drawn(name, "fails", 3) == 0 {
		failed, ok := err.(*lroerrors.OperationError) //nolint:errorlint // only the outermost error matters
		if !ok || failed.Detail.Code != name {
			require.FailNow(t, "the outcome is not the one that the service chose", "%s: %v", name, err)
		}
		return
	}
	if n, err2 := p.Result(t.Context()); err != nil || err2 != nil || n != p.n {
		require.FailNow(t, "the outcome is not the one that the service chose", "%s: %v, %d", name, fmt.Sprint(err, err2), n)
	}
}
