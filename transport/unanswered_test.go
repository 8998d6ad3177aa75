package transport_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// A StatusError reports the number of attempts. Its Unanswered field is set if the request may have
// taken effect although no response confirms it.
func TestUnanswered(t *testing.T) {
	lost := answer{err: io.ErrUnexpectedEOF}
	unsent := answer{err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	tests := []struct {
		name    string
		verb    string
		answers []answer
		tries   int
		want    bool
	}{
		{"a refusal", "PUT", []answer{{status: 409}}, 1, false},
		{"a failure that is not retried", "PUT", []answer{{status: 501}}, 1, false},
		{"a lost response, then a refusal", "PUT", []answer{lost, {status: 409}}, 2, true},
		{"a lost response, then a 404", "DELETE", []answer{lost, {status: 404}}, 2, true},
		{"a lost response of a POST", "POST", []answer{lost, lost, {status: 409, body: `{"error":{"code":"Exists"}}`}}, 3, true},
		{"a 500", "PATCH", []answer{{status: 500}, {status: 412}}, 2, true},
		{"a 408", "PUT", []answer{{status: 408}, {status: 409}}, 2, true},
		{"a 504 after each attempt", "PUT", []answer{{status: 504}}, 4, true},
		{"a 429, which is not carried out", "PUT", []answer{{status: 429}, {status: 409}}, 2, false},
		{"a 424, which is not carried out", "PUT", []answer{{status: 424}, {status: 409}}, 2, false},
		{"a 401, which is not carried out", "PUT", []answer{{status: 401}, {status: 409}}, 2, false},
		{"no connection", "PUT", []answer{unsent, {status: 409}}, 2, false},
		{"a read", "GET", []answer{lost, {status: 404}}, 2, false},
		{"a read by HEAD", "HEAD", []answer{{status: 500}, {status: 404}}, 2, false},
		{"no response at all", "PUT", []answer{lost}, 4, true},
		{"no connection at all", "PUT", []answer{unsent}, 4, false},
		{"no response to a read", "GET", []answer{lost}, 4, false},
		{"a 503, then no connection", "PUT", []answer{{status: 503}, unsent}, 4, true},
		{"a response that cannot be passed on", "POST", []answer{{status: 303, header: "Location: %zz"}}, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := play(tt.answers...)
				client := transport.NewClient(&transport.Options{Base: base, Token: static("t0")})
				resp, err := client.Do(request(t, t.Context(), tt.verb, statuses, nil))
				if err == nil {
					defer resp.Body.Close()
					err = transport.AsError(resp)
				}
				se, ok := errors.AsType[*lroerrors.StatusError](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, tt.tries, base.sent())
				require.Equal(t, tt.tries, se.Attempts)
				require.Equal(t, tt.want, se.Unanswered)
			})
		})
	}
}

// If the response to a write was lost, Unanswered remains set after a redirect. A 303 in response
// to a write also sets Unanswered, because the write may have taken effect.
func TestUnansweredBeforeRedirect(t *testing.T) {
	for _, tt := range []struct {
		verb     string
		redirect answer
		lost     bool
		want     bool
	}{
		{"PUT", answer{status: 307, header: "Location: /ops/1?again"}, true, true},
		{"PUT", answer{status: 307, header: "Location: /ops/1?again"}, false, false},
		{"POST", answer{status: 303, header: "Location: /made"}, false, true},
		{"GET", answer{status: 303, header: "Location: /made"}, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			answers := []answer{tt.redirect, {status: 404}}
			if tt.lost {
				answers = append([]answer{{err: io.ErrUnexpectedEOF}}, answers...)
			}
			client := transport.NewClient(&transport.Options{Base: play(answers...)})
			resp, err := client.Do(request(t, t.Context(), tt.verb, statuses, nil))
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, http.StatusNotFound, resp.StatusCode)
			se, ok := errors.AsType[*lroerrors.StatusError](transport.AsError(resp))
			require.True(t, ok)
			require.Equal(t, tt.want, se.Unanswered, "%+v", tt)
		})
	}
}

// If a POST may have taken effect, Unanswered stays set even if a retry is redirected to an origin
// that is not allowed. The client in this test uses net/http's redirect policy.
func TestRefusedRedirectIsUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := play(answer{status: 503}, answer{status: 307, header: "Location: https://foreign.test/"})
		client := &http.Client{Transport: transport.New(&transport.Options{Base: base})}
		_, err := client.Do(request(t, t.Context(), "POST", readURL, nil)) //nolint:bodyclose // there is no response
		se, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok)
		require.ErrorIs(t, se, lroerrors.ErrForeignOrigin)
		require.True(t, se.Unanswered)
		require.Equal(t, 2, se.Attempts)
	})
}
