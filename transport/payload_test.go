package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/transport"
)

func TestEachAttemptSendsWholeBody(t *testing.T) {
	const text = `{"location":"westeurope"}`
	plain := func() io.Reader { return io.MultiReader(strings.NewReader(text)) } // net/http cannot determine the length of such a reader
	tests := []struct {
		name   string
		body   io.Reader
		length int64 // the ContentLength that the caller sets; 0 means that the caller does not set it
		want   string
	}{
		{"bytes", bytes.NewReader([]byte(text)), 0, "25 []"},
		{"string", strings.NewReader(text), 0, "25 []"},
		{"reader of known length", plain(), 25, "25 []"},
		{"reader of unknown length", plain(), -1, "25 []"},
		{"reader without a ContentLength", plain(), 0, "25 []"},
		{"slow reader of known length", iotest.OneByteReader(plain()), 25, "25 []"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen []string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				seen = append(seen, fmt.Sprintf("%d %v", r.ContentLength, r.TransferEncoding))
				if err != nil || string(body) != text {
					seen = append(seen, fmt.Sprintf("body %q %v", body, err))
				}
				w.Header().Set("Retry-After", "0")
				w.WriteHeader([]int{503, 401, 500, 200}[min(len(seen), 4)-1])
			}))
			defer srv.Close()
			body := &closeCounter{Reader: tt.body}
			req := request(t, t.Context(), "PUT", srv.URL, tt.body)
			if req.GetBody == nil {
				req.Body = body
			}
			if tt.length != 0 {
				req.ContentLength = tt.length
			}
			code, err := do(transport.New(&transport.Options{Token: static("t0")}), req)
			require.NoError(t, err)
			require.Equal(t, 200, code)
			require.Equal(t, []string{tt.want, tt.want, tt.want, tt.want}, seen)
			if req.GetBody == nil {
				require.Equal(t, 1, body.count(), "number of times the caller's body was closed")
			}
		})
	}
}

func TestEmptyBodies(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", fmt.Sprintf("%d %v", r.ContentLength, r.TransferEncoding))
	}))
	defer srv.Close()
	seen := func(rt http.RoundTripper, verb string, body io.Reader) string {
		resp, err := rt.RoundTrip(request(t, t.Context(), verb, srv.URL, body))
		require.NoError(t, err)
		resp.Body.Close()
		return resp.Header.Get("X-Seen")
	}
	for _, verb := range []string{"GET", "POST"} {
		for name, body := range map[string]func() io.Reader{
			"nil":     func() io.Reader { return nil },
			"NoBody":  func() io.Reader { return http.NoBody },
			"string":  func() io.Reader { return strings.NewReader("") },
			"unknown": func() io.Reader { return io.MultiReader() },
		} {
			want := seen(&http.Transport{DisableKeepAlives: true}, verb, body())
			require.Equal(t, want, seen(transport.New(nil), verb, body()), "%s %s, as net/http sends it", verb, name)
		}
	}
}

func TestCallersBodyIsAlwaysClosed(t *testing.T) {
	ended := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	same := func(ctx context.Context) context.Context { return ctx }
	fails := errors.New("no")
	credential := func(context.Context, transport.TokenRequest) (transport.Token, error) {
		return transport.Token{}, fails
	}
	tests := []struct {
		name string
		opts transport.Options
		ctx  func(context.Context) context.Context
		read error
	}{
		{name: "answered"},
		{name: "refused credential", opts: transport.Options{Token: credential}},
		{name: "refused authorization", opts: transport.Options{Authorize: func(*http.Request) error { return fails }}},
		{name: "ended context", ctx: ended},
		{name: "unreadable", read: fails},
		{name: "sent once", opts: transport.Options{Retries: -1}},
		{name: "sent once, ended context", opts: transport.Options{Retries: -1}, ctx: ended},
		{name: "sent once, refused authorization", opts: transport.Options{Retries: -1, Authorize: func(*http.Request) error { return fails }}},
	}
	for _, tt := range tests {
		for _, rewindable := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				tt.opts.Base = play(answer{status: 503}, answer{status: 200})
				var in io.Reader = strings.NewReader("body")
				if tt.read != nil {
					in = iotest.ErrReader(tt.read)
				}
				body := &closeCounter{Reader: in}
				ctx := same
				if tt.ctx != nil {
					ctx = tt.ctx
				}
				req := request(t, ctx(t.Context()), "PUT", statuses, body)
				if rewindable {
					req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("body")), nil }
				}
				_, err := do(transport.New(&tt.opts), req)
				synctest.Wait()
				require.Positive(t, body.count(), "%s, rewindable %t: %v", tt.name, rewindable, err)
			})
		}
	}
}

func TestUnreadableRequestBodies(t *testing.T) {
	broken := errors.New("disk error")
	base := play(answer{status: 503, header: "Retry-After: 0"})
	tr := newTransport(base)

	_, err := do(tr, request(t, t.Context(), "PUT", statuses, iotest.ErrReader(broken)))
	require.ErrorIs(t, statusError(t, err), broken)
	require.Zero(t, base.sent())

	req := request(t, t.Context(), "PUT", statuses, io.MultiReader(strings.NewReader("four")))
	req.ContentLength = 5
	_, err = do(tr, req)
	require.ErrorContains(t, statusError(t, err), "has 4 bytes, but ContentLength is 5")
	require.Zero(t, base.sent())

	req = request(t, t.Context(), "PUT", statuses, strings.NewReader("four"))
	req.GetBody = func() (io.ReadCloser, error) { return nil, broken }
	_, err = do(tr, req)
	se := statusError(t, err)
	require.ErrorIs(t, se, broken)
	require.Equal(t, 1, se.Attempts)
	require.Equal(t, 1, base.sent())
}

// RoundTrip returns when the context ends, even if the body is a pipe that never gets any data.
func TestContextEndsBodyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		r, w := io.Pipe()
		defer w.Close()
		base := play(answer{status: 200})
		_, err := do(newTransport(base), request(t, ctx, "PUT", statuses, r))
		require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
		require.Equal(t, 2*time.Second, time.Since(base.start))
		require.Zero(t, base.sent())
	})
}

// The first attempt sends Body, not the result of GetBody. If the Transport may send the request
// only once, it does not buffer the body.
func TestFirstAttemptSendsOriginalBody(t *testing.T) {
	tests := []struct {
		retries    int
		hasGetBody bool
	}{{-1, false}, {-1, true}, {3, true}}
	for _, tt := range tests {
		body := &closeCounter{Reader: strings.NewReader("body")}
		req := request(t, t.Context(), "PUT", statuses, body)
		if tt.hasGetBody {
			req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("not yet") }
		}
		tr := transport.New(&transport.Options{Retries: tt.retries, Base: trip(func(r *http.Request) (*http.Response, error) {
			require.Same(t, body, r.Body)
			r.Body.Close()
			return response(answer{status: 200}), nil
		})})
		_, err := do(tr, req)
		require.NoError(t, err)
		require.Equal(t, 1, body.count())
	}
}

// Authorize can read the body through GetBody, for example to sign it, even if the caller did not
// set GetBody.
func TestAuthorizeCanReadBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var signed []string
		base := play(answer{status: 503}, answer{status: 200})
		tr := transport.New(&transport.Options{Base: base, Authorize: func(r *http.Request) error {
			body, err := r.GetBody()
			require.NoError(t, err)
			text, err := io.ReadAll(body)
			signed = append(signed, string(text))
			return err
		}})
		_, err := do(tr, request(t, t.Context(), "PUT", statuses, io.MultiReader(strings.NewReader("body"))))
		require.NoError(t, err)
		require.Equal(t, []string{"body", "body"}, signed)
	})
}
