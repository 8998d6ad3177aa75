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

// requireResponseError requires that err contains an *azcore.ResponseError with the given codes, a
// raw response and a text.
func requireResponseError(t *testing.T, err error, status int, code string) {
	t.Helper()
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

// TestResponseError requires that errors.As finds azcore's type in the errors of our poller.
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
				got := lroazcore.ResponseError(fmt.Errorf("create: %w", err))
				require.ErrorAs(t, got, tt.ours)
				require.Equal(t, "create: "+err.Error(), got.Error())
				requireResponseError(t, got, tt.status, "Taken")
				require.Equal(t, got, lroazcore.ResponseError(got), "ResponseError is idempotent")
			})
		})
	}
}

func TestResponseErrorOfRequest(t *testing.T) {
	got := lroazcore.ResponseError(&lroerrors.StatusError{Method: "GET", URL: "https://a.test/op", StatusCode: 429, RequestID: "r", RetryAfter: 1500 * time.Microsecond})
	theirs, ok := errors.AsType[*azcore.ResponseError](got)
	require.True(t, ok)
	require.Equal(t, "GET https://a.test/op", theirs.RawResponse.Request.Method+" "+theirs.RawResponse.Request.URL.String())
	require.Equal(t, http.Header{"Content-Type": {"application/json"}, "X-Ms-Request-Id": {"r"}, "Retry-After-Ms": {"2"}}, theirs.RawResponse.Header)
	require.Contains(t, theirs.Error(), "GET https://a.test/op\n")
}

// TestNoResponseError requires that ResponseError does not change an error that reports no
// response.
func TestNoResponseError(t *testing.T) {
	require.NoError(t, lroazcore.ResponseError(nil))
	status := &lroerrors.StatusError{StatusCode: 404}
	for _, err := range []error{
		errDown,
		&lroerrors.StatusError{Err: errDown},
		&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, Err: context.Canceled, LastErr: status},
	} {
		require.Equal(t, err, lroazcore.ResponseError(err))
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
	for range 2 {                                  // twice, because the body must stay readable
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

// TestWatchTypedGetter requires that a Watch over a typed getter handles status codes like a poller.
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
		require.Equal(t, 310*time.Second, time.Since(start), "10 s after the 404, and the pause of the 429")

		_, err = watch(failing(403, nil)).PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, err)
		require.Equal(t, lroerrors.ReasonRefused, wait.Reason)
	})
}
