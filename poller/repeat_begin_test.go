package poller_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

const busy = `409 {"error":{"code":"Conflict","message":"another operation is in progress"}}`

func repeating(r poller.Repeat) *poller.Options {
	return &poller.Options{Repeat: &r, Origins: []string{origin}}
}

// bodies keeps the bodies that a service is sent.
func bodies(h http.Handler, all *[]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			b, _ := io.ReadAll(r.Body)
			*all = append(*all, string(b))
		}
		h.ServeHTTP(w, r)
	})
}

func TestARefusedRequestIsSentAgain(t *testing.T) { // quirks W57 and W58
	for name, tt := range map[string]struct {
		refused reply
		pause   time.Duration
	}{
		"409":                      {busy, 30 * time.Second},
		"asked for less":           {busy + "\nRetry-After: 5", 30 * time.Second},
		"asked for more":           {busy + "\nRetry-After: 300", 5 * time.Minute},
		"429 in plain text":        {"429 slow down", 30 * time.Second},
		"a code that is retryable": {`400 {"error":{"code":"x","details":[{"code":"storageAccountOperationInProgress"}]}}`, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var sent []string
				s := serve(map[string][]reply{"PUT " + resource: {tt.refused, tt.refused, "200 {}"}})
				req := newRequest(t, "PUT", resource)
				text := strings.Repeat("0123456789", 1000) + "\r\n"
				req.Body, req.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
				req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
				req.Header.Set("X-Mine", "kept")
				p, err := poller.Begin[raw](req, clientOf(bodies(s, &sent)), repeating(poller.Repeat{}))
				require.NoError(t, err)
				require.True(t, p.Done())
				require.Equal(t, []time.Duration{0, tt.pause, 2 * tt.pause}, s.times())
				require.Equal(t, []string{text, text, text}, sent, "byte for byte")
				require.Equal(t, "kept", s.headers()[2].Get("X-Mine"))
			})
		})
	}
}

func TestTheLastRefusalIsReturnedAsItIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"DELETE " + resource: {busy, `409 {"error":{"code":"Last"}}`}})
		_, err := poller.Begin[raw](newRequest(t, "DELETE", resource), s.client(), repeating(poller.Repeat{Times: 1, Every: time.Minute}))
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.EqualError(t, err, "lro: DELETE "+origin+resource+": 409 Conflict: Last")
		require.Equal(t, []time.Duration{0, time.Minute}, s.times())
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"400", "200 {}"}})
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), repeating(poller.Repeat{}))
		require.EqualError(t, err, "lro: PUT "+origin+resource+": 400 Bad Request: no error body")
		require.Len(t, s.requests(), 1)
	})
}

func TestWithoutAnAnswerNothingIsSentAgain(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {"drop", "200 {}"}})
	always := poller.Repeat{When: func(error) bool { return true }}
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), repeating(always))
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.NotContains(t, s.requests()[1:], "POST "+resource)
}

func TestTheContextEndsThePause(t *testing.T) {
	begin := func(ctx context.Context, s *service) *lroerrors.StatusError {
		req := newRequest(t, "PUT", resource).WithContext(ctx)
		_, err := poller.Begin[raw](req, s.client(), repeating(poller.Repeat{}))
		require.IsType(t, &lroerrors.StatusError{}, err)
		return err.(*lroerrors.StatusError) //nolint:errorlint // the outermost one
	}
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {busy}})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("shutdown")
		time.AfterFunc(40*time.Second, func() { cancel(why) })
		err := begin(ctx, s)
		require.Equal(t, http.StatusConflict, err.StatusCode)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, why)
		require.Equal(t, 40*time.Second, time.Since(s.began))
		require.Len(t, s.requests(), 2)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {busy}})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		err := begin(ctx, s)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Contains(t, err.Error(), "another operation is in progress: it was not sent again: the deadline comes before the next time")
		require.Zero(t, time.Since(s.began), "it is known at once")
	})
}

func TestARequestMadeAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {busy}, "POST /retry": {accepted}, get(monitor): {succeeded}})
		made := 0
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), repeating(poller.Repeat{Request: func() (*http.Request, error) {
			made++
			return http.NewRequest(http.MethodPost, origin+"/retry", http.NoBody) //nolint:noctx // the poller gives it one
		}}))
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, succeeded[4:], string(v), "by the rules of POST")
		require.Equal(t, 1, made)
	})
}

func TestARequestThatCannotBeMadeAgain(t *testing.T) {
	bad := errors.New("no more")
	for name, tt := range map[string]struct {
		request func() (*http.Request, error)
		is      error
	}{
		"an error": {func() (*http.Request, error) { return nil, bad }, bad},
		"none":     {func() (*http.Request, error) { return nil, nil }, nil}, //nolint:nilnil // it is the test
		"elsewhere": {func() (*http.Request, error) {
			return http.NewRequest(http.MethodPut, "https://evil.test/", http.NoBody) //nolint:noctx // it is not sent
		}, lroerrors.ErrForeignOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"PUT " + resource: {busy}})
				_, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), repeating(poller.Repeat{Request: tt.request}))
				require.IsType(t, &lroerrors.StatusError{}, err)
				require.Contains(t, err.Error(), "another operation is in progress: it was not sent again: ")
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is)
				}
				require.Len(t, s.requests(), 1)
			})
		})
	}
	s := serve(nil)
	req := newRequest(t, "PUT", resource)
	req.GetBody = nil
	_, err := poller.Begin[raw](req, s.client(), repeating(poller.Repeat{}))
	require.ErrorContains(t, err, "GetBody")
	require.Empty(t, s.requests(), "that is found before anything is sent")
}

func TestRetryable(t *testing.T) {
	nested := func(code string) *lroerrors.Detail {
		return &lroerrors.Detail{Code: "Outer", Details: []lroerrors.Detail{{Code: "a"}, {Details: []lroerrors.Detail{{Code: code}}}}}
	}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"W23":                    {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "RetryableError"}}, true},
		"W23, in the details":    {&lroerrors.OperationError{Detail: nested("ReferencedResourceNotProvisioned")}, true},
		"W23, storage":           {&lroerrors.OperationError{Detail: nested("StorageAccountOperationInProgress")}, true},
		"another one":            {&lroerrors.OperationError{Detail: nested("anotheroperationinprogress")}, true},
		"W21":                    {&lroerrors.OperationError{Detail: &lroerrors.Detail{Code: "InternalServerError"}}, false},
		"a failure of 409":       {&lroerrors.OperationError{StatusCode: 409, Detail: &lroerrors.Detail{Code: "Conflict"}}, false},
		"without a reason":       {&lroerrors.OperationError{}, false},
		"W57":                    {&lroerrors.StatusError{StatusCode: 409}, true},
		"W49":                    {&lroerrors.StatusError{StatusCode: 429}, true},
		"400":                    {&lroerrors.StatusError{StatusCode: 400}, false},
		"400 with a code":        {&lroerrors.StatusError{StatusCode: 400, Detail: nested("RetryableError")}, true},
		"wrapped":                {errors.Join(errors.New("x"), &lroerrors.StatusError{StatusCode: 409}), true},
		"the operation's counts": {&lroerrors.OperationError{Err: &lroerrors.StatusError{StatusCode: 409}}, false},
		"nothing":                {nil, false},
		"something else":         {errors.New("RetryableError"), false},
	} {
		require.Equal(t, tt.want, poller.Retryable(tt.err), name)
	}
}
