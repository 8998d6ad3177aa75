package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

func TestConformance(t *testing.T) {
	base := startServer(t)
	all := readCatalogue(t)
	t.Run("lro", func(t *testing.T) {
		for _, s := range ofKind(all, "lro") {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				follow(t, base, s)
			})
		}
	})
	t.Run("paging", func(t *testing.T) {
		for _, s := range ofKind(all, "paging") {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				list(t, base, s)
			})
		}
	})
	for _, suite := range []string{"httpRetry", "httpFailure", "httpRedirect"} {
		t.Run(suite, func(t *testing.T) {
			for _, s := range ofKind(all, "retry") {
				if s.Suite != "testserver/"+suite {
					continue
				}
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					send(t, base, s)
				})
			}
		})
	}
}

// client returns an HTTP client of package transport that pauses only briefly between retries, and
// the client's wire.
func client(t *testing.T) (*http.Client, *wire) {
	t.Helper()
	w := newWire(t)
	return transport.NewClient(&transport.Options{
		Base:     w,
		MinDelay: time.Millisecond,
		MaxDelay: 10 * time.Millisecond,

		FollowWrites: true, // some scenarios redirect requests other than GET and HEAD
	}), w
}

// follow runs an lro scenario. It starts the operation, follows it to the end, and checks the
// outcome and the requests.
func follow(t *testing.T, base string, s scenario) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := s.request(ctx, base)
	require.NoError(t, err)

	doer, w := client(t)
	var result json.RawMessage
	phase := "initial"
	p, err := poller.Begin[json.RawMessage](req, doer, &poller.Options{
		FinalStateVia: poller.FinalStateVia(s.FinalStateVia),
		Cadence:       poller.Cadence{Default: time.Millisecond, Min: time.Millisecond, Max: 10 * time.Millisecond},
		Patience:      poller.Patience{Time: -1},
	})
	if err == nil {
		phase = "poll"
		result, err = p.PollUntilDone(ctx)
	}

	if s.Expect == "success" {
		require.NoError(t, err)
		requireResult(t, s, result)
	} else {
		require.Error(t, err)
		require.Equal(t, s.Error.Phase, phase, "%v", err)
		requireError(t, s, err)
	}
	require.Equal(t, s.exchange(), w.exchange())
}

func requireResult(t *testing.T, s scenario, result json.RawMessage) {
	t.Helper()
	switch s.ExpectBodyMode {
	case "json":
		require.JSONEq(t, string(s.ExpectBody), string(result))
	case "none":
		require.Empty(t, string(result))
	case "any":
	default:
		require.FailNow(t, "expect_body_mode", s.ExpectBodyMode)
	}
}

// requireError requires that err has the type and details of the scenario's error.
func requireError(t *testing.T, s scenario, err error) {
	t.Helper()
	want := s.Error
	require.Contains(t, err.Error(), want.Message)

	if opErr, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		require.Equal(t, want.HTTPStatus, opErr.StatusCode, "%v", err)
		if want.OperationStatus != "" {
			require.EqualValues(t, want.OperationStatus, opErr.State, "%v", err)
		}
		return
	}
	require.Empty(t, want.OperationStatus, "the error must say that the operation has ended: %v", err)

	waitErr, stopped := errors.AsType[*lroerrors.WaitError](err)
	if want.Phase == "initial" && want.HTTPStatus < 300 {
		require.True(t, stopped, "%v", err)
		require.Equal(t, lroerrors.ReasonUnfollowable, waitErr.Reason, "%v", err)
		return
	}
	require.Equal(t, want.Phase == "poll", stopped, "a *WaitError must report a wait that stopped, and nothing else: %v", err)
	statusErr, _ := errors.AsType[*lroerrors.StatusError](err)
	if stopped {
		statusErr = waitErr.LastErr
	}
	require.NotNil(t, statusErr, "%v", err)
	require.Equal(t, want.HTTPStatus, statusErr.StatusCode, "%v", err)
}

// redirects lists the scenarios in which lro returns a redirect to the caller, although the
// catalogue expects the client to follow it. The values are the status codes.
var redirects = map[string]int{
	"HttpRedirect_head300": http.StatusMultipleChoices, // net/http does not follow a 300, so that the caller can choose an alternative
	"HttpRedirect_get300":  http.StatusMultipleChoices,
}

// send runs a retry, failure or redirect scenario. It sends the request and checks the status code
// and all requests on the wire.
func send(t *testing.T, base string, s scenario) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := s.request(ctx, base)
	require.NoError(t, err)

	c, w := client(t)
	resp, err := c.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())

	status, exchange := s.ExpectStatus, s.exchange()
	if code, ok := redirects[s.Name]; ok {
		status, exchange = code, exchange[:1]
	}
	require.Equal(t, status, resp.StatusCode)
	require.Equal(t, exchange, w.exchange())
}
