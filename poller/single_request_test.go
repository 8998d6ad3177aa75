package poller_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

const requestID = "X-Ms-Client-Request-Id"

// numbered returns a Token function that issues the tokens t1, t2, and so on.
func numbered() func(context.Context, transport.TokenRequest) (transport.Token, error) {
	n := 0
	return func(context.Context, transport.TokenRequest) (transport.Token, error) {
		n++
		return transport.Token{Value: fmt.Sprintf("t%d", n)}, nil
	}
}

// Poll and Result each send one request and never sleep, regardless of any Retry-After. Only after
// a 401 do they send a second request, with a fresh token.
func TestPollSendsOneRequest(t *testing.T) {
	for _, tt := range []struct {
		replies []reply
		auth    []string // the Authorization header of each request in one read
	}{
		{[]reply{"503\nRetry-After: 0"}, []string{"Bearer t1"}},
		{[]reply{"429\nRetry-After: 0"}, []string{"Bearer t1"}},
		{[]reply{"500"}, []string{"Bearer t1"}},
		{[]reply{"drop"}, []string{"Bearer t1"}},
		{[]reply{"401\nRetry-After: 60", "503\nRetry-After: 0"}, []string{"Bearer t1", "Bearer t2"}},
		{[]reply{"401", "drop"}, []string{"Bearer t1", "Bearer t2"}},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): tt.replies})
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), through(s, transport.Options{Token: numbered()}), nil)
			require.NoError(t, err)
			st, err := p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Error(t, st.ReadErr)
			require.Equal(t, tt.auth, sentTokens(s)[1:], "%q", tt.replies)
			require.Zero(t, time.Since(s.began))
		})
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): tt.replies})
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), through(s, transport.Options{Token: numbered()}), nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			_, err = p.Result(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, tt.auth, sentTokens(s)[2:], "%q", tt.replies)
			require.Zero(t, time.Since(s.began))
		})
	}
}

func sentTokens(s *service) []string {
	return each(s, func(r request) string { return r.header.Get("Authorization") })
}

// Each poll sends the same client request ID as the first request, whether package transport
// generated the ID or the caller set it.
func TestPollsCarryTheGeneratedID(t *testing.T) {
	for _, theirs := range []string{"", "theirs"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {"503", accepted}, get(monitor): {running, "401", "drop", succeeded}, get(resource): {widget}})
			client := through(s, transport.Options{Token: numbered()})
			req := newRequest(t, "PUT", resource)
			if theirs != "" {
				req.Header.Set(requestID, theirs)
			}
			p, err := poller.Begin[raw](req, client, nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			token, err := p.ResumeToken()
			require.NoError(t, err)
			p, err = poller.Resume[raw](token, client, &poller.Options{Origins: []string{origin}})
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			ids := each(s, func(r request) string { return r.header.Get(requestID) })
			require.Greater(t, len(ids), 6)
			require.NotEmpty(t, ids[0])
			for i, id := range ids {
				require.Equal(t, ids[0], id, "request %d", i)
			}
			if theirs != "" {
				require.Equal(t, theirs, ids[0])
			}
		})
	}
}

// throttle closes the client's throttle gate for url. It sends a request there, as another caller
// would, and gets a 429.
func throttle(t *testing.T, client *http.Client, url string) {
	t.Helper()
	once := transport.WithLongestPause(t.Context(), 0)
	resp, err := client.Do(newRequest(t, "GET", url).WithContext(once))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, 429, resp.StatusCode)
}

// A read that the throttle gate holds back counts neither as a poll nor as a failure. NextPoll
// becomes the time when the gate lets this operation read.
func TestHeldReadIsNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "429\nRetry-After: 50", running}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		known, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 60*time.Second, p.NextPoll().Sub(s.began))
		time.Sleep(20 * time.Second)
		throttle(t, client, monitor)

		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.NoError(t, st.ReadErr)
		require.Equal(t, 70*time.Second, st.NextPoll.Sub(s.began))
		require.Equal(t, st.NextPoll, p.NextPoll())
		known.NextPoll = st.NextPoll
		require.Equal(t, known, st)
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		late := waitOf(t, err, lroerrors.ReasonDeadline)
		require.Equal(t, 1, late.Polls)
		require.True(t, late.Asked, "Asked must be set, because the service asked for the pause")
		require.Equal(t, 2, count(s.requests(), get(monitor)))

		time.Sleep(time.Until(st.NextPoll))
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3, count(s.requests(), get(monitor)))
	})
}

// If the throttle gate holds back an early read, NextPoll remains the later time that the service
// asked for.
func TestHeldReadKeepsNextPoll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted + "\nRetry-After: 300"}, get(monitor): {"429\nRetry-After: 60", running}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		throttle(t, client, monitor)
		for range 3 {
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, 300*time.Second, p.NextPoll().Sub(s.began))
		}

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.True(t, waitOf(t, err, lroerrors.ReasonDeadline).Asked, "Asked must be set, because the service asked for the pause")
		require.Zero(t, time.Since(s.began))
	})
}

// If the throttle gate holds back the last read before a deadline, PollUntilDone returns when it
// tries that read (after 36 s) instead of at the deadline (40 s).
func TestHeldReadBeforeDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"429\nRetry-After: 50", running}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		throttle(t, client, monitor)
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.True(t, waitOf(t, err, lroerrors.ReasonDeadline).Asked, "Asked must be set, because the throttle gate obeys the service")
		require.Equal(t, 36*time.Second, time.Since(s.began))
		require.Equal(t, 60*time.Second, p.NextPoll().Sub(s.began))
	})
}

// Updates waits while the throttle gate holds back a read, and yields nothing for that read.
func TestWaitForTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {"429\nRetry-After: 50", running, succeeded}, get(resource): {widget}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		throttle(t, client, monitor)
		var at []time.Duration
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			require.NoError(t, st.ReadErr)
			at = append(at, time.Since(s.began))
		}
		require.Equal(t, []time.Duration{30 * time.Second, 80 * time.Second, 140 * time.Second}, at)
	})
}

// If the throttle gate holds back the read after a WakeUp, the poller makes that read as soon as
// the gate opens.
func TestWakeUpOfHeldRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted + "\nRetry-After: 300"}, get(monitor): {"429\nRetry-After: 20", succeeded}, get(resource): {widget}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		throttle(t, client, monitor)
		time.AfterFunc(10*time.Second, p.WakeUp)
		for _, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
		}
		require.Equal(t, 20*time.Second, time.Since(s.began))
	})
}

// Result returns the throttle gate's error if the gate holds back the read of the result.
func TestHeldResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"429\nRetry-After: 20", widget}})
		client := through(s, transport.Options{})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		throttle(t, client, resource)
		_, err = p.Result(t.Context())
		se, ok := err.(*lroerrors.StatusError) //nolint:errorlint // callers may rely on the type of the outermost error
		require.True(t, ok, "%v", err)
		require.Equal(t, "ClientThrottleGate", se.Detail.Code)
		require.Equal(t, 20*time.Second, p.NextPoll().Sub(s.began))
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 20*time.Second, time.Since(s.began))
	})
}

// doers contains functions that create a Doer, with or without package transport.
var doers = map[string]func(http.RoundTripper) poller.Doer{
	"ours":    func(base http.RoundTripper) poller.Doer { return transport.NewClient(&transport.Options{Base: base}) },
	"foreign": func(base http.RoundTripper) poller.Doer { return doer((&http.Client{Transport: base}).Do) },
}

// A request's context has the values and the deadline of the caller's context, and is canceled when
// the read ends.
func TestReadContext(t *testing.T) {
	type key struct{}
	for name, wrap := range doers {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503", "drop", succeeded}, get(resource): {widget}})
			real := &fakes.Transport{Handler: s}
			var last context.Context
			client := wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
				last = r.Context()
				if r.Method == http.MethodGet {
					at, ok := last.Deadline()
					require.True(t, ok, name)
					require.Equal(t, 3*time.Minute, time.Until(at), name)
					require.Equal(t, "trace", last.Value(key{}), name)
				}
				return real.RoundTrip(r)
			}))
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, nil)
			require.NoError(t, err)
			for ; !p.Done(); time.Sleep(time.Until(p.NextPoll())) {
				ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "trace"), 3*time.Minute)
				_, _ = p.Poll(ctx)
				require.Error(t, last.Err(), name)
				require.NoError(t, ctx.Err())
				cancel()
			}
			ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "trace"), 3*time.Minute)
			defer cancel()
			v, err := p.Result(ctx)
			require.NoError(t, err)
			require.JSONEq(t, widget[4:], string(v))
			require.Error(t, last.Err(), name)
		})
	}
}

// A request's deadline is the caller's or the end of ResponseTimeout, whichever comes first.
func TestReadDeadline(t *testing.T) {
	for name, wrap := range doers {
		bubble(t, func(t *testing.T) {
			var left []time.Duration
			client := wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodGet {
					at, _ := r.Context().Deadline()
					left = append(left, time.Until(at))
				}
				resp := &http.Response{StatusCode: 202, Header: http.Header{"Location": {monitor}}, Body: io.NopCloser(strings.NewReader(""))}
				return resp, nil
			}))
			p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, &poller.Options{ResponseTimeout: 7 * time.Second})
			require.NoError(t, err)
			for _, limit := range []time.Duration{time.Second, time.Minute} {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				_, err := p.Poll(ctx)
				require.NoError(t, err)
				cancel()
			}
			require.Equal(t, []time.Duration{time.Second, 7 * time.Second}, left, name)
		})
	}
}
