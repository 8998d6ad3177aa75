package transport_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

func TestAsErrorOfSuccess(t *testing.T) {
	for _, code := range []int{200, 201, 202, 204, 299} {
		body := &closeCounter{Reader: iotest.ErrReader(errSocket)}
		require.NoError(t, transport.AsError(&http.Response{StatusCode: code, Body: body}), code)
		require.NoError(t, transport.AsError(&http.Response{StatusCode: code}), code)
		require.Zero(t, body.count())
	}
}

func TestAsError(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(`{"error":{"code":"Conf`), iotest.ErrReader(errSocket))
	tests := []struct {
		name   string
		status int
		body   io.Reader
		detail *lroerrors.Detail
		err    error
		text   string
	}{
		{
			"OData", 409, strings.NewReader(`{"error":{"code":"Conflict","message":"it exists","target":"w1"}}`),
			&lroerrors.Detail{Code: "Conflict", Message: "it exists", Target: "w1"}, nil,
			"lro: PUT https://arm.test/ops/1: 409 Conflict: Conflict: it exists (target w1) (request id r1)",
		},
		{
			"HTML", 502, strings.NewReader("<html><title>Bad Gateway</title><body><h1>nginx</h1></body></html>"),
			&lroerrors.Detail{Message: "Bad Gateway nginx"}, nil,
			"lro: PUT https://arm.test/ops/1: 502 Bad Gateway: Bad Gateway nginx (request id r1)",
		},
		{"empty", 404, strings.NewReader(""), nil, nil, "lro: PUT https://arm.test/ops/1: 404 Not Found: no error body (request id r1)"},
		{"no body", 403, nil, nil, nil, "lro: PUT https://arm.test/ops/1: 403 Forbidden: no error body (request id r1)"},
		{
			"unreadable", 409, broken, &lroerrors.Detail{Message: `{"error":{"code":"Conf`}, errSocket,
			`lro: PUT https://arm.test/ops/1: 409 Conflict: {"error":{"code":"Conf: reading the response: connection reset by peer (request id r1)`,
		},
		{"a redirect", 302, strings.NewReader(""), nil, nil, "lro: PUT https://arm.test/ops/1: 302 Found: no error body (request id r1)"},
		{"not final", 101, strings.NewReader("x"), nil, nil, "lro: PUT https://arm.test/ops/1: 101 Switching Protocols: no error body (request id r1)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: tt.status, Header: http.Header{
				"X-Ms-Request-Id": {"r1"}, "X-Ms-Correlation-Request-Id": {"c1"}, "Retry-After": {"17"},
			}}
			resp.Request = request(t, t.Context(), "PUT", statuses+query, nil)
			body := &closeCounter{Reader: tt.body}
			if tt.body != nil {
				resp.Body = body
			}
			err := transport.AsError(resp)
			se, ok := errors.AsType[*lroerrors.StatusError](err)
			require.True(t, ok)
			require.EqualError(t, err, tt.text)
			require.Equal(t, &lroerrors.StatusError{
				Method: "PUT", URL: statuses, StatusCode: tt.status, RequestID: "r1", CorrelationID: "c1",
				RetryAfter: 17 * time.Second, Detail: tt.detail, Err: se.Err,
			}, se)
			require.ErrorIs(t, se.Err, tt.err)
			require.Zero(t, body.count(), "AsError must leave it to the caller to close the body")
			if tt.body != nil {
				resp.Body.Close()
				require.Equal(t, 1, body.count())
			}
		})
	}
}

func TestAsErrorLeavesBody(t *testing.T) {
	text := `{"error":{"code":"Big"}}` + strings.Repeat(" ", 2<<20)
	resp := &http.Response{StatusCode: 500, Body: io.NopCloser(strings.NewReader(text))}
	for range 2 {
		require.EqualError(t, transport.AsError(resp), "lro: 500 Internal Server Error: Big")
	}
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, len(text), len(all))
	require.Equal(t, text, string(all))
}

func TestAsErrorWithoutResponse(t *testing.T) {
	require.EqualError(t, transport.AsError(nil), "lro: the response is nil")
	require.EqualError(t, transport.AsError(&http.Response{StatusCode: 404}), "lro: 404 Not Found: no error body")
	require.EqualError(t, transport.AsError(&http.Response{StatusCode: 404, Request: &http.Request{}}), "lro: GET: 404 Not Found: no error body")
	require.Error(t, transport.AsError(&http.Response{}))
}
