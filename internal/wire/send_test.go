package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/wire"
)

const opURL = "https://a.test/ops/7?sig=SECRET"

type doer func(*http.Request) (*http.Response, error)

func (f doer) Do(req *http.Request) (*http.Response, error) { return f(req) }

// A body records whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

func answering(code int, b io.ReadCloser) doer {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: b, ContentLength: -1, Header: http.Header{
			"X-Ms-Request-Id": {"r1"}, "X-Ms-Correlation-Request-Id": {"c1"},
		}}, nil
	}
}

func get(t testing.TB) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, opURL, http.NoBody)
	require.NoError(t, err)
	return req
}

// statusError asserts that err itself is a *StatusError and contains no secret, and returns it.
func statusError(t testing.TB, err error) *lroerrors.StatusError {
	t.Helper()
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.NotContains(t, err.Error(), "SECRET")
	return err.(*lroerrors.StatusError) //nolint:errorlint // the documentation promises this type as the outermost error
}

func TestSend(t *testing.T) {
	b := &body{Reader: strings.NewReader("\xef\xbb\xbf{}")}
	ans, err := wire.Send(t.Context(), answering(202, b), get(t), &wire.Terms{Limit: limit(10)})
	require.NoError(t, err)
	require.Equal(t, opURL, ans.URL.String())
	require.Equal(t, 202, ans.Code)
	require.Equal(t, "{}", string(ans.Body))
	require.Equal(t, "r1", ans.Header.Get("X-Ms-Request-Id"))
	require.True(t, b.closed)
}

func TestSendRefused(t *testing.T) {
	b := &body{Reader: strings.NewReader(`{"error":{"code":"Busy"}}`)}
	ans, err := wire.Send(t.Context(), answering(409, b), get(t), &wire.Terms{Limit: limit(100)})
	require.NoError(t, err, "the response is complete, and the caller judges its code")
	require.Equal(t, 409, ans.Code)
	require.EqualError(t, wire.Refusal("GET", ans, nil), "lro: GET https://a.test/ops/7: 409 Conflict: Busy (request id r1)")
}

func TestSendWithoutBody(t *testing.T) {
	ans, err := wire.Send(t.Context(), answering(204, nil), get(t), &wire.Terms{Limit: limit(10)})
	require.NoError(t, err)
	require.Equal(t, 204, ans.Code)
	require.Empty(t, ans.Body)
}

func TestSendNilResponse(t *testing.T) {
	ans, err := wire.Send(t.Context(), doer(func(*http.Request) (*http.Response, error) { return nil, nil }), get(t), &wire.Terms{Limit: limit(10)})
	require.Zero(t, ans)
	require.EqualError(t, statusError(t, err), "lro: GET https://a.test/ops/7: the client returned neither a response nor an error")
}

func TestSendNoAnswer(t *testing.T) {
	refused := errors.New("connection refused")
	wrapped := fmt.Errorf("authorize: %w", &url.Error{Op: "Post", URL: "https://login.test/?code=SECRET", Err: refused})
	login := &lroerrors.StatusError{Method: "POST", URL: "https://login.test/", StatusCode: 400}
	const front = "lro: GET https://a.test/ops/7: "
	tests := []struct {
		err  error
		want string
	}{
		{refused, front + "connection refused"},
		{&url.Error{Op: "Get", URL: opURL, Err: refused}, front + "connection refused"},
		{&url.Error{Op: "Get", URL: opURL, Err: &url.Error{Op: "Get", URL: opURL, Err: refused}}, front + "connection refused"},
		{wrapped, front + `authorize: Post "https://login.test/?REDACTED": connection refused`},
		{&url.Error{Op: "Get", URL: opURL, Err: fmt.Errorf("token: %w", login)}, front + "token: POST https://login.test/: 400 Bad Request: no error body"},
	}
	for _, tt := range tests {
		b := &body{Reader: strings.NewReader("x")}
		ans, err := wire.Send(t.Context(), doer(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 302, Body: b}, tt.err // http.Client also returns both when CheckRedirect fails
		}), get(t), &wire.Terms{Limit: limit(10)})
		se := statusError(t, err)
		require.EqualError(t, se, tt.want)
		require.Zero(t, se.StatusCode, "this request got no response")
		require.Zero(t, ans)
		require.True(t, b.closed)
		_, outer := tt.err.(*url.Error) //nolint:errorlint // only the outermost error matters
		require.Equal(t, !outer, errors.Is(err, tt.err), "only the *url.Error around it is removed")
		if strings.HasSuffix(tt.want, "7: connection refused") {
			require.Equal(t, refused, se.Err)
		}
	}
	require.EqualError(t, wire.NoAnswer(&http.Request{}, refused), "lro: GET: connection refused", "no method means GET")
}

// Send keeps the transport's *StatusError, which contains the number of attempts.
func TestSendKeepsTransportError(t *testing.T) {
	theirs := &lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7", Attempts: 4, Err: io.EOF}
	for _, err := range []error{theirs, &url.Error{Op: "Get", URL: opURL, Err: theirs}} {
		_, err := wire.Send(t.Context(), doer(func(*http.Request) (*http.Response, error) { return nil, err }), get(t), &wire.Terms{Limit: limit(10)})
		require.Equal(t, theirs, statusError(t, err))
	}
}

func TestSendLimit(t *testing.T) {
	b := &body{Reader: strings.NewReader(`{"error":{"code":"Busy"}}`)}
	ans, err := wire.Send(t.Context(), answering(503, b), get(t), &wire.Terms{Limit: limit(5)})
	require.Equal(t, 503, ans.Code)
	require.Equal(t, `{"erro`, string(ans.Body))
	se := statusError(t, err)
	require.Equal(t, 503, se.StatusCode)
	require.EqualError(t, se, `lro: GET https://a.test/ops/7: 503 Service Unavailable: {"erro: reading the response: `+
		`body is larger than 5 bytes, the limit of Options.MaxStatusBytes (request id r1)`)
	_, ok := errors.AsType[*wire.LimitError](err)
	require.True(t, ok)
	require.True(t, b.closed)
}

func TestSendTruncatedBody(t *testing.T) {
	for _, code := range []int{200, 500} {
		b := &body{Reader: io.MultiReader(strings.NewReader("busy, "), iotest.ErrReader(io.ErrUnexpectedEOF))}
		ans, err := wire.Send(t.Context(), answering(code, b), get(t), &wire.Terms{Limit: limit(100)})
		require.Equal(t, "busy, ", string(ans.Body), "Send must return the part that arrived")
		se := statusError(t, err)
		require.Equal(t, code, se.StatusCode)
		require.Equal(t, "r1", se.RequestID)
		require.Equal(t, "c1", se.CorrelationID)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, code == 500, se.Detail != nil, "the body of a 200 is not an error")
		require.True(t, b.closed)
	}
}

func TestSendRedirected(t *testing.T) {
	client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ops/7" {
			http.Redirect(w, r, "/moved/7?sig=SECRET", http.StatusTemporaryRedirect)
			return
		}
		w.WriteHeader(http.StatusGone)
	}))
	ans, err := wire.Send(t.Context(), client, get(t), &wire.Terms{Limit: limit(100)})
	require.NoError(t, err)
	require.Equal(t, "https://a.test/moved/7?sig=SECRET", ans.URL.String())
	require.EqualError(t, wire.Refusal("GET", ans, nil), "lro: GET https://a.test/moved/7: 410 Gone: no error body")
}

// hanging returns a client whose server sends the given text, if any, and then nothing more until
// the request's context ends.
func hanging(written string) *http.Client {
	return fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if written != "" {
			_, _ = io.WriteString(w, written)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
}

func TestSendHangingAnswer(t *testing.T) {
	for _, written := range []string{"", `{"status":`} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			ans, err := wire.Send(t.Context(), hanging(written), get(t), &wire.Terms{Limit: limit(100)})
			require.Equal(t, 5*time.Minute, time.Since(start))
			require.Equal(t, written, string(ans.Body))
			require.ErrorContains(t, statusError(t, err), "no complete response within 5m0s, the limit of ResponseTimeout")
			require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's context has not ended")
			require.Equal(t, written != "", statusError(t, err).StatusCode == 200)
		})
	}
}

// Send reads a slow response to the end if it arrives within the time limit.
func TestSendSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(2 * time.Minute)
			_, _ = io.WriteString(w, `{"status":`)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(3*time.Minute - time.Nanosecond)
			_, _ = io.WriteString(w, `"Running"}`)
		}))
		ans, err := wire.Send(t.Context(), client, get(t), &wire.Terms{Limit: limit(100)})
		require.NoError(t, err)
		require.JSONEq(t, `{"status":"Running"}`, string(ans.Body))
	})
}

func TestSendContextEnds(t *testing.T) {
	why := errors.New("shutting down")
	for _, written := range []string{"", `{"status":`} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(why) })
			start := time.Now()
			_, err := wire.Send(ctx, hanging(written), get(t), &wire.Terms{Limit: limit(100)})
			require.Equal(t, time.Minute, time.Since(start))
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, why)
			_, ok := errors.AsType[*lroerrors.StatusError](err)
			require.False(t, ok, "the error of the context is not about the service")
		})
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := wire.Send(ctx, hanging(written), get(t), &wire.Terms{Limit: limit(100)})
			require.Equal(t, context.DeadlineExceeded, err)
		})
	}
}

// Send accepts a response that was read completely, even if the context ended before Send returned.
func TestSendAnswerBeforeEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := doer(func(*http.Request) (*http.Response, error) {
		cancel()
		return answering(200, &body{Reader: strings.NewReader("{}")})(nil)
	})
	ans, err := wire.Send(ctx, client, get(t), &wire.Terms{Limit: limit(100)})
	require.NoError(t, err)
	require.Equal(t, "{}", string(ans.Body))
}

// Send must report its time limit in a copy of the Doer's error, because other callers may get the
// same error.
func TestSendLeavesErrorsAlone(t *testing.T) {
	theirs := &lroerrors.StatusError{Method: "GET", Attempts: 4, Err: io.EOF}
	synctest.Test(t, func(t *testing.T) {
		client := doer(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, theirs
		})
		_, err := wire.Send(t.Context(), client, get(t), &wire.Terms{Limit: limit(100)})
		require.EqualError(t, statusError(t, err), "lro: GET: 4 attempts: no complete response within 5m0s, the limit of ResponseTimeout")
	})
	require.Equal(t, io.EOF, theirs.Err)
}
