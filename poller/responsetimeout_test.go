package poller_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

const tooLate = "the limit of ResponseTimeout"

// trickling returns a handler that responds like s, except that its first responses to one method
// and path (the parameter what) never end: after s's response, it sends one space a minute. The
// parameter times is the number of these responses, or -1 for all.
func trickling(s *service, what string, times int) http.Handler {
	slow := fakes.Endless(" ", time.Minute)(s)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method+" "+r.URL.Path != what || times == 0 {
			s.ServeHTTP(w, r)
			return
		}
		times--
		slow.ServeHTTP(w, r)
	})
}

func beginAt(t *testing.T, h http.Handler, method string, opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	p, err := poller.Begin[raw](newRequest(t, method, resource), clientOf(h), opts)
	require.NoError(t, err)
	return p
}

// If a response arrives too slowly, the read fails after ResponseTimeout. The wait continues until
// Patience runs out.
func TestTricklingStatus(t *testing.T) {
	for _, tt := range []struct {
		answer, took time.Duration
	}{
		{0, time.Minute + 5*time.Minute + 10*time.Second},
		{7 * time.Second, time.Minute + 7*time.Second + 10*time.Second},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {succeeded}})
			p := beginAt(t, trickling(s, get(monitor), 1), "POST", &poller.Options{ResponseTimeout: tt.answer})
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				if st.ReadErr != nil {
					require.ErrorContains(t, st.ReadErr, tooLate)
				}
			}
			require.Equal(t, tt.took, time.Since(s.began))
		})
	}
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running}})
		p := beginAt(t, trickling(s, get(monitor), -1), "POST", nil)
		_, err := p.PollUntilDone(t.Context())
		wait := waitOf(t, err, lroerrors.ReasonPatience)
		require.ErrorContains(t, wait.LastErr, tooLate)
		// The first pause takes 1 min, the six reads 5 min each, and the other pauses 10, 20, 40,
		// 80 and 160 s.
		require.Equal(t, time.Minute+6*5*time.Minute+310*time.Second, time.Since(s.began))
	})
}

// While one caller reads a slow response, other callers of Poll wait for that read and get its
// error. Status returns the last known status right away.
func TestOtherCallersDuringTricklingStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running}})
		p := beginAt(t, trickling(s, get(monitor), 1), "POST", nil)
		go func() { _, _ = p.Poll(t.Context()) }()
		time.Sleep(time.Minute)
		require.Equal(t, poller.InProgress, p.Status().State)
		start := time.Now()
		st, err := p.Poll(t.Context())
		require.Equal(t, 4*time.Minute, time.Since(start))
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorContains(t, err, tooLate)
		require.Equal(t, err, st.ReadErr)
	})
}

// ResponseTimeout also applies to the body of the first response. If that body arrives too slowly,
// New returns an error only if the poller needs the body.
func TestTricklingFirstResponse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {succeeded}})
		p := beginAt(t, trickling(s, "POST "+resource, 1), "POST", nil)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
		drain(t, p)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {widget}, get(resource): {widget}})
		client := clientOf(trickling(s, "PUT "+resource, 1))
		resp, err := client.Do(newRequest(t, "PUT", resource))
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = poller.New[raw](resp, client, &poller.Options{ResponseTimeout: time.Second})
		wait := waitOf(t, err, lroerrors.ReasonUnfollowable)
		require.ErrorContains(t, err, "no complete response within 1s, "+tooLate)
		require.Equal(t, time.Second, time.Since(s.began))
		text := make([]byte, 10)
		_, err = resp.Body.Read(text)
		require.NoError(t, err, "the part of the body that has arrived must be readable")
		p := resume(t, tokenOf(t, wait), s)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestTricklingCancel(t *testing.T) {
	for code, accepts := range map[string]bool{"202": true, "409": false} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, "POST /cancel": {code}})
			p := beginAt(t, trickling(s, "POST /cancel", 1), "POST", &poller.Options{
				CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil },
			})
			err := p.Cancel(t.Context())
			require.Equal(t, 5*time.Minute, time.Since(s.began))
			if accepts {
				require.NoError(t, err, "the status code must be enough to accept the cancel request")
				return
			}
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.ErrorContains(t, err, tooLate)
		})
	}
}

// If the result arrives too slowly, the poller retries until Patience runs out. The error says that
// the operation has succeeded.
func TestTricklingResult(t *testing.T) {
	script := func() *service {
		return serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
	}
	bubble(t, func(t *testing.T) {
		p := beginAt(t, trickling(script(), get(resource), 1), "PUT", nil)
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
	bubble(t, func(t *testing.T) {
		s := script()
		p := beginAt(t, trickling(s, get(resource), -1), "PUT", &poller.Options{Patience: poller.Patience{Time: -1, Failures: 2}})
		_, err := p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		require.ErrorContains(t, err, tooLate)
		require.Equal(t, time.Minute+2*5*time.Minute+10*time.Second, time.Since(s.began))
	})
}

// ResponseTimeout starts over after each MiB, so the poller can read a large result over a slow
// connection.
func TestLargeResultOnSlowLine(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	bubble(t, func(t *testing.T) {
		body := `{"x":"` + strings.Repeat("x", size-8) + `"}`
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"200 " + body}})
		slow := fakes.Trickle(1<<20, 4*time.Minute)(s)
		p := beginAt(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method+" "+r.URL.Path == get(resource) {
				slow.ServeHTTP(w, r)
				return
			}
			s.ServeHTTP(w, r)
		}), "PUT", nil)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.True(t, json.Valid(v))
		require.Len(t, v, size)
		require.Equal(t, time.Minute+8*4*time.Minute, time.Since(s.began))
	})
}
