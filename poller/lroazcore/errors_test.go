package lroazcore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// requireResponseError requires that err contains an *azcore.ResponseError with the given status
// code, the error code Taken, a raw response and the service's message.
func requireResponseError(t *testing.T, err error, status int) {
	t.Helper()
	const code = "Taken"
	var theirs *azcore.ResponseError
	require.ErrorAs(t, err, &theirs)
	require.Equal(t, status, theirs.StatusCode)
	require.Equal(t, code, theirs.ErrorCode)
	require.Equal(t, status, theirs.RawResponse.StatusCode)
	require.Contains(t, theirs.Error(), fmt.Sprintf("RESPONSE %d: %d %s\nERROR CODE: %s\n", status, status, http.StatusText(status), code))
	require.Contains(t, theirs.Error(), "The name is taken.")
	body, readErr := io.ReadAll(theirs.RawResponse.Body)
	require.NoError(t, readErr)
	if len(body) > 0 { // the body is empty if an earlier call has read it
		require.JSONEq(t, fmt.Sprintf(`{"error":{"code":%q,"message":"The name is taken."}}`, code), string(body))
	}
}

// requireRequest requires that the request of an error or of a response from Poll has the fields
// that azcore sets, and no secrets.
func requireRequest(t *testing.T, req *http.Request) {
	t.Helper()
	require.Equal(t, "management.azure.com", req.Host)
	require.Equal(t, "management.azure.com", req.URL.Host)
	require.Equal(t, "https", req.URL.Scheme)
	require.NotEmpty(t, req.URL.Path)
	require.Empty(t, req.URL.RawQuery)
	require.Equal(t, "HTTP/1.1", req.Proto)
	require.NotEmpty(t, req.Method)
	require.NotNil(t, req.Header)
	require.NotNil(t, req.Body)
	require.Empty(t, req.Header.Get("Authorization"))
}

// TestResponseErrorBody checks that the body can be read repeatedly, like the body of an azcore
// error.
func TestResponseErrorBody(t *testing.T) {
	const want = `{"error":{"code":"Taken"}}`
	got := lroazcore.ResponseError(&lroerrors.StatusError{StatusCode: 409, URL: url, Detail: &lroerrors.Detail{Code: "Taken"}})
	raw := got.(*azcore.ResponseError).RawResponse //nolint:errorlint // ResponseError does not wrap the error
	for range 2 {
		body, err := io.ReadAll(raw.Body)
		require.NoError(t, err)
		require.Equal(t, want, string(body))
		require.NoError(t, raw.Body.Close())
		body, err = runtime.Payload(raw)
		require.NoError(t, err)
		require.Equal(t, want, string(body))
		require.Contains(t, got.Error(), "Taken")
	}
	_, err := io.ReadAll(raw.Body)
	require.NoError(t, err)
	_, err = raw.Body.(io.Seeker).Seek(0, io.SeekStart)
	require.NoError(t, err)
	body, err := io.ReadAll(raw.Body)
	require.NoError(t, err)
	require.Equal(t, want, string(body))
}

// TestResponseErrorOfLast404 checks that the request in the error for a vanished status has a host,
// because azcore's callers may treat a 404 without a host as success.
func TestResponseErrorOfLast404(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusNotFound)})
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		theirs, ok := lroazcore.ResponseError(err).(*azcore.ResponseError) //nolint:errorlint // callers assert the type
		require.True(t, ok, err)
		require.Equal(t, http.StatusNotFound, theirs.StatusCode)
		requireRequest(t, theirs.RawResponse.Request)
		wait, ok := errors.AsType[*lroerrors.WaitError](lroazcore.ErrorOf(theirs))
		require.True(t, ok)
		require.Equal(t, lroerrors.ReasonGone, wait.Reason)
		_, err = wait.ResumeToken()
		require.NoError(t, err)
	})
}

// TestResponseErrorOfWatch checks that a Watch's azcore error has the code and the request of the
// getter's error. If an error's URL is only a name, the azcore error's request has no host.
func TestResponseErrorOfWatch(t *testing.T) {
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	getters := &azcore.ResponseError{StatusCode: 403, ErrorCode: "No", RawResponse: &http.Response{StatusCode: 403, Request: sent}}
	get := func(context.Context) (Account, error) { return Account{}, getters }
	_, err = poller.Watch(get, nil, &poller.WatchOptions{StatusOf: lroazcore.StatusOf}).PollUntilDone(t.Context())
	theirs, ok := lroazcore.ResponseError(err).(*azcore.ResponseError) //nolint:errorlint // callers assert the type
	require.True(t, ok, err)
	require.Equal(t, "No", theirs.ErrorCode)
	require.Equal(t, "management.azure.com", theirs.RawResponse.Request.Host)
	require.Equal(t, err, lroazcore.ErrorOf(theirs))
	require.Nil(t, getters.RawResponse.Request.Context().Value("nothing"), "ResponseError must not change the getter's error")
	require.Same(t, sent, getters.RawResponse.Request)

	bare := &azcore.ResponseError{StatusCode: 403}
	require.Equal(t, bare, lroazcore.ErrorOf(bare))
	named := lroazcore.ResponseError(&lroerrors.StatusError{StatusCode: 403, URL: "pool p1"})
	require.Empty(t, named.(*azcore.ResponseError).RawResponse.Request.Host) //nolint:errorlint // ResponseError does not wrap the error
	require.NotPanics(t, func() { _ = named.Error() })
}

// TestResponseError checks that ResponseError converts each type of an lro poller's error, even if
// wrapped, and that ErrorOf converts it back.
func TestResponseError(t *testing.T) {
	const taken = `{"error": {"code": "Taken", "message": "The name is taken."}}`
	for _, tt := range []struct {
		name   string
		plan   fakes.Plan
		fault  fakes.Fault
		status int
		ours   any
	}{
		{"the operation fails", fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "Taken", Message: "The name is taken."}}, fakes.Fault{}, 200, new(*lroerrors.OperationError)},
		{"the request is refused", fakes.Plan{}, fakes.Fault{Kind: fakes.Begin, Do: fakes.Respond(409, taken)}, 409, new(*lroerrors.StatusError)},
		{"the status may not be read", fakes.Plan{}, fakes.Fault{Kind: fakes.Poll, Do: fakes.Respond(403, taken)}, 403, new(*lroerrors.WaitError)},
		{"the result cannot be read", fakes.Plan{}, fakes.Fault{Kind: fakes.Read, Do: fakes.Respond(400, taken)}, 400, new(*lroerrors.ResultError)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{Default: tt.plan}
				if tt.fault.Do != nil {
					svc.Fault(tt.fault)
				}
				p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, svc)), nil)
				if err == nil {
					_, err = p.PollUntilDone(t.Context())
				}
				require.Error(t, err)
				wrapped := lroazcore.ResponseError(fmt.Errorf("create: %w", err))
				require.ErrorAs(t, wrapped, tt.ours)
				require.Equal(t, "create: "+err.Error(), wrapped.Error())
				requireResponseError(t, wrapped, tt.status)
				require.Equal(t, wrapped, lroazcore.ResponseError(wrapped), "a second ResponseError must change nothing")
				require.Equal(t, poller.Classify(err), poller.Classify(lroazcore.ErrorOf(wrapped)))

				got := lroazcore.ResponseError(err)
				theirs, ok := got.(*azcore.ResponseError) //nolint:errorlint // callers of azcore assert the type
				require.True(t, ok, got)
				requireResponseError(t, got, tt.status)
				requireRequest(t, theirs.RawResponse.Request)
				require.Equal(t, got, lroazcore.ResponseError(got), "a second ResponseError must change nothing")
				require.Equal(t, err, lroazcore.ErrorOf(got))
				require.Equal(t, err, lroazcore.ErrorOf(fmt.Errorf("create: %w", got)))
			})
		})
	}
}

func TestResponseErrorOfRequest(t *testing.T) {
	got := lroazcore.ResponseError(&lroerrors.StatusError{Method: "GET", URL: "https://a.test/op", StatusCode: 429, RequestID: "r", RetryAfter: 1500 * time.Microsecond})
	theirs, ok := errors.AsType[*azcore.ResponseError](got)
	require.True(t, ok)
	require.Equal(t, "GET https://a.test/op", theirs.RawResponse.Request.Method+" "+theirs.RawResponse.Request.URL.String())
	require.Equal(t, http.Header{"Content-Type": {"application/json"}, "X-Ms-Request-Id": {"r"}, "Retry-After-Ms": {"2"}, "Retry-After": {"1"}}, theirs.RawResponse.Header)
	require.Contains(t, theirs.Error(), "GET https://a.test/op\n")
}

// TestNoResponseError checks that ResponseError returns an error unchanged if it reports a 2xx, the
// end of the context, or no response at all.
func TestNoResponseError(t *testing.T) {
	require.NoError(t, lroazcore.ResponseError(nil))
	status := &lroerrors.StatusError{StatusCode: 404}
	for _, err := range []error{
		errDown,
		&lroerrors.StatusError{StatusCode: 200, Err: errDown},
		&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, LastErr: &lroerrors.StatusError{StatusCode: 200}},
		&lroerrors.WaitError{Reason: lroerrors.ReasonUnfollowable, LastErr: &lroerrors.StatusError{StatusCode: 202}},
		&lroerrors.StatusError{Err: errDown},
		&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, Err: context.Canceled, LastErr: status},
	} {
		require.Equal(t, err, lroazcore.ResponseError(err))
		require.Equal(t, err, lroazcore.ErrorOf(err))
	}
}

func TestStatusOf(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Edit(func(a *fakes.Answer) {
		a.StatusCode, a.Body = http.StatusForbidden, []byte(`{"error": {"code": "No", "message": "You may not."}}`)
		a.Header.Set("Retry-After", "7")
	})})
	pl := newPipeline(t, svc)
	theirs := runtime.NewResponseError(put(t, pl)) //nolint:bodyclose // NewResponseError reads it
	for range 2 {                                  // twice, because the body must remain readable
		got := lroazcore.StatusOf(fmt.Errorf("get: %w", theirs))
		require.Equal(t, http.StatusForbidden, got.StatusCode)
		require.Equal(t, &lroerrors.Detail{Code: "No", Message: "You may not."}, got.Detail)
		require.Equal(t, 7*time.Second, got.RetryAfter)
	}
	require.Equal(t, &lroerrors.StatusError{StatusCode: 409, Detail: &lroerrors.Detail{Code: "Busy"}}, lroazcore.StatusOf(&azcore.ResponseError{StatusCode: 409, ErrorCode: "Busy"}))
	require.Equal(t, &lroerrors.StatusError{StatusCode: 200}, lroazcore.StatusOf(&azcore.ResponseError{StatusCode: 200, RawResponse: &http.Response{StatusCode: 200}}))
	ours := &lroerrors.StatusError{StatusCode: 503}
	require.Same(t, ours, lroazcore.StatusOf(fmt.Errorf("get: %w", ours)))
	require.Equal(t, http.StatusNotFound, lroazcore.StatusOf(lroerrors.ErrNotFound).StatusCode)
	require.Equal(t, http.StatusNotFound, lroazcore.StatusOf(fs.ErrNotExist).StatusCode)
	require.Nil(t, lroazcore.StatusOf(errDown))
}

// TestWatchTypedGetter checks that a Watch over a typed getter handles status codes like a poller.
func TestWatchTypedGetter(t *testing.T) {
	failing := func(code int, header http.Header) error {
		return &azcore.ResponseError{StatusCode: code, RawResponse: &http.Response{StatusCode: code, Header: header}}
	}
	watch := func(errs ...error) *poller.Poller[Account] {
		return poller.Watch(func(context.Context) (a Account, err error) {
			if len(errs) > 0 {
				err, errs = errs[0], errs[1:]
				return a, err
			}
			return Account{Name: "a"}, nil
		}, poller.Until(func(a Account) bool { return a.Name != "" }), &poller.WatchOptions{StatusOf: lroazcore.StatusOf})
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got, err := watch(failing(404, nil), failing(429, http.Header{"Retry-After": {"300"}})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, 310*time.Second, time.Since(start), "the wait must consist of 10 s after the 404 and the pause of the 429")

		_, err = watch(failing(403, nil)).PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonRefused, wait.Reason)
	})
}
