package poller_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// A body is held as long as it may be sent again, and no longer.
func TestTheRequestIsHeldAsLongAsItMayBeSent(t *testing.T) {
	made := func() (*http.Request, error) { return newRequest(t, "PUT", resource), nil }
	for name, tt := range map[string]struct {
		repeat   poller.Repeat
		polls    []reply
		held     bool // while the operation goes on
		finished bool
	}{
		"while it may fail":      {poller.Repeat{}, []reply{running}, true, false},
		"not once it has ended":  {poller.Repeat{}, []reply{running, succeeded}, true, true},
		"not where it is made":   {poller.Repeat{Request: made}, []reply{running}, false, false},
		"not once it has failed": {poller.Repeat{When: func(error) bool { return false }}, []reply{running, tryAgain}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): tt.polls, get(resource): {widget}})
				p, body := beginLarge(t, s, &poller.Options{Repeat: &tt.repeat})
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
				collect()
				require.Equal(t, tt.held, body.Value() != nil)
				if tt.finished {
					_, err = p.Poll(t.Context())
					require.NoError(t, err)
					require.True(t, p.Done())
					collect()
					require.Nil(t, body.Value())
				}
				runtime.KeepAlive(p)
			})
		})
	}
}

// collect frees what nobody holds; the service has let go of what it was sent.
func collect() {
	synctest.Wait()
	runtime.GC()
}

// beginLarge begins an operation by a request whose body can be told apart from others.
func beginLarge(t *testing.T, s *service, opts *poller.Options) (*poller.Poller[raw], weak.Pointer[[1 << 16]byte]) {
	t.Helper()
	req, body := newRequest(t, "PUT", resource), new([1 << 16]byte)
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body[:])), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(body))
	p, err := poller.Begin[raw](req, s.client(), opts)
	require.NoError(t, err)
	return p, weak.Make(body)
}

// Begin takes its own copy of the options, however long it takes.
func TestTheOptionsAreThoseThatBeginWasGiven(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {busy, accepted}, get(monitor): {succeeded}, get(resource): {widget}})
		opts := repeating(poller.Repeat{})
		opts.Repeat.When = func(error) bool {
			*opts = poller.Options{Header: http.Header{"X-Late": {"1"}}}
			return true
		}
		p := begin(t, s, "PUT", opts)
		drain(t, p)
		for _, h := range s.headers() {
			require.Empty(t, h.Get("X-Late"))
		}
	})
}

// A request that is made and not sent is not leaked.
func TestTheBodyOfARequestThatMayNotBeSentIsClosed(t *testing.T) {
	for name, script := range map[string]map[string][]reply{
		"by Begin": {"PUT " + resource: {busy}}, "by the poller": {"PUT " + resource: {accepted}, get(monitor): {tryAgain}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				closed := false
				made := func() (*http.Request, error) {
					return http.NewRequest(http.MethodPut, "https://evil.test/", &closing{io.NopCloser(strings.NewReader("{}")), func() { closed = true }}) //nolint:noctx // it is not sent
				}
				s := serve(script)
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), repeating(poller.Repeat{Request: made}))
				if err == nil {
					_, err = p.PollUntilDone(t.Context())
				}
				require.ErrorContains(t, err, "foreign origin")
				require.True(t, closed)
			})
		})
	}
}

// What holds for the service holds for the operation that was begun again, also for
// who resumes it without the options.
func TestTheRulesOutliveARepeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		opts := repeating(poller.Repeat{})
		opts.FinalStateVia, opts.ResultPointer, opts.Words = poller.FinalStateViaLocation, "/x", map[string]poller.State{"Ready": poller.Succeeded}
		p := begin(t, s, "PUT", opts)
		for len(s.requests()) < 3 { // until it is sent again
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			time.Sleep(time.Until(p.NextPoll()))
		}
		var kept struct {
			Poll  string            `json:"poll"`
			Via   string            `json:"finalStateVia"`
			At    string            `json:"resultPointer"`
			Words map[string]string `json:"words"`
		}
		require.NoError(t, json.Unmarshal([]byte(tokenOf(t, p)), &kept))
		require.Equal(t, origin+"/operations/op2", kept.Poll)
		require.Equal(t, "location", kept.Via)
		require.Equal(t, "/x", kept.At)
		require.Equal(t, map[string]string{"ready": "Succeeded"}, kept.Words)
	})
}

// That of one that may be sent is open, and one that may not need have none.
func TestTheBodyOfARequestThatMayBeSentIsOpen(t *testing.T) {
	for target, sent := range map[string]bool{origin + resource: true, "https://evil.test/": false} {
		bubble(t, func(t *testing.T) {
			var got []string
			s := serve(failingPut(tryAgain))
			made := func() (*http.Request, error) {
				if !sent {
					return http.NewRequest(http.MethodPut, target, nil) //nolint:noctx // it is not sent
				}
				r, w := io.Pipe() // which a Close breaks
				go func() {
					_, _ = io.WriteString(w, "{}")
					w.Close()
				}()
				return http.NewRequest(http.MethodPut, target, r) //nolint:noctx // it is given one
			}
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(bodies(s, &got)), repeating(poller.Repeat{Request: made}))
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.Equal(t, sent, err == nil)
			require.Equal(t, sent, len(got) == 2 && got[1] == "{}", got)
		})
	}
}

// Two long errors do not make an operation one that cannot be resumed.
func TestATokenWithARefusalFits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("x", 40<<10)
		script := failingPut(`200 {"status":"Failed","error":{"code":"RetryableError","message":"` + long + `"}}`)
		script["PUT "+resource] = []reply{accepted, `409 {"error":{"code":"A","message":"` + long + `"}}`}
		s := serve(script)
		p := begin(t, s, "PUT", repeating(poller.Repeat{Times: 1}))
		drain(t, p)
		_, err := resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
		requireFailed(t, err, "RetryableError")
		require.ErrorContains(t, failureOf(t, err).Err, "409 Conflict")
	})
}
