package poller_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A timeout of the Doer is a failed read, not the end of the caller's context.
func TestDoerTimeoutIsNotCallers(t *testing.T) {
	const late = 3 * time.Second
	for name, client := range map[string]func(http.Handler) poller.Doer{
		"http.Client": func(h http.Handler) poller.Doer {
			c := clientOf(slowly(h, time.Minute))
			c.Timeout = late
			return c
		},
		"a context of its own": func(h http.Handler) poller.Doer {
			c := clientOf(slowly(h, time.Minute))
			return doer(func(req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodGet {
					return c.Do(req)
				}
				ctx, cancel := context.WithTimeout(req.Context(), late)
				defer cancel()
				resp, err := c.Do(req.WithContext(ctx))
				if err != nil {
					err = fmt.Errorf("sending: %w", err)
				}
				return resp, err
			})
		},
		"a StatusError": func(h http.Handler) poller.Doer {
			c := clientOf(h)
			return doer(func(req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodGet {
					return c.Do(req)
				}
				return nil, &lroerrors.StatusError{Attempts: 2, Err: context.DeadlineExceeded}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {acceptedAt + "?sig=SECRET"}})
				p, err := poller.Begin[raw](newRequest(t, "POST", resource), client(s), nil)
				require.NoError(t, err)
				_, err = p.Poll(t.Context())
				requireDoersTimeout(t, err)
				requireDoersTimeout(t, p.Status().ReadErr)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				_, err = p.PollUntilDone(ctx)
				requireWait(t, err, lroerrors.ReasonPatience)
				requireDoersTimeout(t, err)

				short, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				time.Sleep(2 * time.Second)
				_, err = p.Poll(short)
				requireWait(t, err, lroerrors.ReasonDeadline)
				require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's context must end the wait")
			})
		})
	}
}

// An error from Begin matches context.DeadlineExceeded only if the caller's deadline has passed.
func TestBeginReportsCallersDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hanging := roundTrip(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, fmt.Errorf("sending: %w", &url.Error{Op: "Post", URL: "https://a.test/?sig=SECRET", Err: req.Context().Err()})
		})
		_, err := poller.Begin[raw](newRequest(t, "POST", resource), &http.Client{Transport: hanging, Timeout: time.Second}, nil)
		requireDoersTimeout(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = poller.Begin[raw](newRequest(t, "POST", resource).WithContext(ctx), &http.Client{Transport: hanging}, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, found := errors.AsType[*url.Error](err)
		require.False(t, found)
	})
}

// requireDoersTimeout fails the test unless err is a timeout of the Doer, not the end of the
// caller's context.
func requireDoersTimeout(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, context.Canceled)
	timeout, found := errors.AsType[net.Error](err)
	require.True(t, found)
	require.True(t, timeout.Timeout())
	require.NotContains(t, timeout.Error(), "SECRET")
	_, found = errors.AsType[*url.Error](err)
	require.False(t, found)
}
