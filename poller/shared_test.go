package poller_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// If a read ends the wait, all waiting callers get the same error.
func TestAllWaitersSeeEndOfWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, "403\nRetry-After: 3600"}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, time.Second)), nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := p.PollUntilDone(t.Context())
				requireWait(t, err, lroerrors.ReasonRefused)
				require.Equal(t, 122*time.Second, time.Since(s.began))
			})
		}
		wg.Wait()
		require.Len(t, s.requests(), 3)
	})
}

// While one caller reads the result, others already see that the operation has ended.
func TestEndIsVisibleBeforeResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {"404", "404", "404", widget}})
		p := begin(t, s, "PUT", nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, 130*time.Second, time.Since(s.began))
		})
		time.Sleep(61 * time.Second)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		st, err := p.Poll(ended)
		require.NoError(t, err, "Poll must not wait for a read once the operation has ended")
		require.Equal(t, poller.Succeeded, st.State)
		drain(t, p)
		require.Equal(t, 61*time.Second, time.Since(s.began))
		wg.Wait()
	})
}

// A Doer may itself wait for another operation, for example to get a credential. The poller treats
// that operation's error as a failed read, not as the end of its own operation.
func TestErrorOfOperationInsideDoer(t *testing.T) {
	for _, theirs := range []error{
		&lroerrors.WaitError{Reason: lroerrors.ReasonDeadline}, &lroerrors.OperationError{State: "Failed"}, &lroerrors.ResultError{},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, succeeded}})
			n := 0
			doer := roundTrip(func(req *http.Request) (*http.Response, error) {
				if n++; n == 2 {
					return nil, fmt.Errorf("getting a token: %w", theirs)
				}
				return s.client().Do(req)
			})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), &http.Client{Transport: doer}, nil)
			require.NoError(t, err)
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				require.NotErrorIs(t, st.ReadErr, theirs)
			}
			require.True(t, p.Done())
		})
	}
}

func TestDefaultClientFollowsRedirectsToOrigins(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, succeeded) }))
	defer there.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			write(w, accepted)
			return
		}
		http.Redirect(w, r, there.URL, http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	for _, origins := range [][]string{{there.URL}, nil} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, here.URL, http.NoBody)
		require.NoError(t, err)
		p, err := poller.Begin[raw](req, nil, &poller.Options{Origins: origins})
		require.NoError(t, err)
		st, err := p.Poll(t.Context())
		if origins == nil {
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, poller.Succeeded, st.State)
	}
}

func TestInterruptedReadKeepsReason(t *testing.T) {
	t.Run("a notification", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 {}"}})
			p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, 5*time.Second)), nil)
			require.NoError(t, err)
			p.WakeUp()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = p.PollUntilDone(ctx)
			requireWait(t, err, lroerrors.ReasonDeadline)
			require.Equal(t, time.Now(), p.NextPoll())
		})
	})
	t.Run("a cross-check", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"DELETE " + resource: {acceptedAt}, get(monitor): {"202", "404"}, get(resource): {"404"}})
			p, err := poller.Begin[raw](newRequest(t, "DELETE", resource), clientOf(slowly(s, 5*time.Second)), nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.Equal(t, time.Now(), p.NextPoll(), "the read of the resource must be due at once")
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err = p.Poll(ctx)
			wait := waitOf(t, err, lroerrors.ReasonDeadline)
			require.False(t, p.NextPoll().After(time.Now()), "the read of the resource must still be due")
			again := resume(t, tokenOf(t, wait), s)
			st, err := again.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
			require.NotContains(t, s.requests()[3:], get(monitor))
		})
	})
}

// If a status document has odd or very long values, ResumeToken still returns a token, and the
// poller can be resumed from it.
func TestTokenSurvivesOddDocuments(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for _, body := range []string{
		`{"status":"Running","startTime":"2023-08-11 01:58:30 +2400"}`, `{"status":"Running","startTime":"2023-08-11T01:58:30+24:00"}`,
		`{"status":"Running","id":"` + long + `"}`, `{"status":"` + long + `"}`, `{"status":"Running","error":{"code":"C","message":"` + long + `"}}`,
	} {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"200 " + body, succeeded}})
		p := begin(t, s, "POST", nil)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		p = resume(t, tokenOf(t, p), s)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
}
