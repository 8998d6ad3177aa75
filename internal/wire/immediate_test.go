package wire_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/transport"
)

// A poll that must not pause makes one attempt, without the transport's retry loop. The transport
// still counts, logs and authorizes that attempt.
func TestImmediatePoll(t *testing.T) {
	for name, tt := range map[string]struct {
		code    int
		err     error
		wantLog string
	}{
		"answered":     {code: http.StatusOK, wantLog: "status=200"},
		"unavailable":  {code: http.StatusServiceUnavailable, wantLog: "status=503"},
		"unauthorized": {code: http.StatusUnauthorized, wantLog: "status=401"},
		"broken":       {err: errors.New("connection reset"), wantLog: `error="connection reset"`},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			var authorizations []string
			client := transport.NewClient(&transport.Options{
				Base: roundTrip(func(req *http.Request) (*http.Response, error) {
					authorizations = append(authorizations, req.Header.Get("Authorization"))
					if tt.err != nil {
						return nil, tt.err
					}
					return &http.Response{StatusCode: tt.code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), ContentLength: 2}, nil
				}),
				Authorize: func(req *http.Request) error {
					req.Header.Set("Authorization", "Basic me")
					return nil
				},
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})

			ans, err := wire.Send(t.Context(), client, get(t), &wire.Terms{Polling: true, Immediate: true, Limit: wire.Limit{Bytes: 10}})
			require.Equal(t, []string{"Basic me"}, authorizations, "one attempt")
			require.Equal(t, 1, strings.Count(log.String(), "lro: attempt"))
			require.Contains(t, log.String(), tt.wantLog)
			if tt.err != nil {
				se := statusError(t, err)
				require.Equal(t, 1, se.Attempts)
				require.ErrorIs(t, se, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.code, ans.Code)
			require.Equal(t, 1, ans.Sent.Attempts)
		})
	}
}
