package fakes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// write writes text and ignores the error, because the client may have disconnected.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// behaviors lists ways a handler can behave. A client must see the same responses in memory and
// over a socket.
var behaviors = map[string]http.HandlerFunc{
	"nothing": func(http.ResponseWriter, *http.Request) {},
	"text":    func(w http.ResponseWriter, _ *http.Request) { write(w, "hello") },
	"json": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		write(w, "{}")
	},
	"no Content-Type": func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		write(w, "{}")
	},
	"no content":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
	"body on 204":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); write(w, "x") },
	"accepted":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202); w.WriteHeader(500) },
	"unknown status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) },
	"early hints":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(201) },
	"late header":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200); w.Header().Set("X-Late", "1") },
	"large":          func(w http.ResponseWriter, _ *http.Request) { write(w, strings.Repeat("x", 200<<10)) },
	"flushed":        func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); write(w, "x") },
	"declared": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		write(w, "abc")
	},
	"body too short": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9")
		write(w, "abc")
	},
	"body too long": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2")
		write(w, "ab")
		write(w, "c")
	},
	"drop":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"drop buffered": func(w http.ResponseWriter, _ *http.Request) { write(w, "x"); panic(http.ErrAbortHandler) },
	"drop flushed":  func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); panic(http.ErrAbortHandler) },
	"drop midway": func(w http.ResponseWriter, _ *http.Request) {
		write(w, "half")
		w.(http.Flusher).Flush()
		write(w, "lost")
		panic(http.ErrAbortHandler)
	},
	"echo": func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		write(w, fmt.Sprintln(r.Method, r.RequestURI, r.URL, r.Proto, r.ContentLength, r.TLS != nil, r.Header.Get("X-A"), string(body), err))
	},
}

// describeResponse sends a request and describes the response as the client sees it.
func describeResponse(t *testing.T, client *http.Client, method, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("request"))
	require.NoError(t, err)
	req.Header.Set("X-A", "a")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Sprint("no response; EOF: ", errors.Is(err, io.EOF))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NotEmpty(t, resp.Header.Get("Date"))
	resp.Header.Del("Date")
	require.Same(t, req, resp.Request)
	return fmt.Sprintf("%s %s length %d %v %v body %d %q %v",
		resp.Proto, resp.Status, resp.ContentLength, resp.TransferEncoding, resp.Header, len(body), fmt.Sprintf("%.20s", body), err)
}

func TestTransportMatchesSocket(t *testing.T) {
	for name, handler := range behaviors {
		for _, method := range []string{"GET", "HEAD", "PUT"} {
			t.Run(method+" "+name, func(t *testing.T) {
				srv := httptest.NewServer(handler)
				defer srv.Close()
				want := describeResponse(t, srv.Client(), method, srv.URL+"/a%2Fb/c?x=y&z")
				got := describeResponse(t, fakes.Client(handler), method, srv.URL+"/a%2Fb/c?x=y&z")
				require.Equal(t, want, got)
			})
		}
	}
}

func get(ctx context.Context, client *http.Client) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.test/x", nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

// getError sends a GET and returns the error, or nil if there is a response.
func getError(ctx context.Context, client *http.Client) error {
	resp, err := get(ctx, client)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

func TestTransportContext(t *testing.T) {
	cause := errors.New("enough")
	tests := map[string]struct {
		handler http.HandlerFunc
		cancel  time.Duration
	}{
		"before":                {func(http.ResponseWriter, *http.Request) { panic("called") }, 0},
		"during":                {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, time.Minute},
		"the handler sleeps on": {func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) }, time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				start := time.Now()
				if tt.cancel == 0 {
					cancel(cause)
				} else {
					time.AfterFunc(tt.cancel, func() { cancel(cause) })
				}
				err := getError(ctx, fakes.Client(tt.handler))
				require.ErrorIs(t, err, cause)
				require.Equal(t, tt.cancel, time.Since(start))
				time.Sleep(time.Hour) // let the handler that ignores its context return
			})
		})
	}
}

// The client must not get the response if the context ends while the handler is responding.
func TestTransportContextEndsWithHandler(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := getError(ctx, fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })))
	require.ErrorIs(t, err, context.Canceled)
}

// A response that arrives exactly at the deadline is always too late.
func TestTransportDeadlineWithHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := getError(ctx, fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) })))
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, time.Minute, time.Since(start))
		}
	})
}

func TestTransportTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fakes.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		client.Timeout = 5 * time.Second
		start := time.Now()
		err := getError(t.Context(), client)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 5*time.Second, time.Since(start))
	})
}

// The client gets the headers once the handler flushes them, and each part of the body once the
// handler writes it.
func TestTransportTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		resp, err := get(t.Context(), fakes.Client(http.HandlerFunc(trickle)))
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, time.Second, time.Since(start))
		require.EqualValues(t, -1, resp.ContentLength)
		for i := range 3 {
			buf := make([]byte, 10)
			n, err := resp.Body.Read(buf)
			require.NoError(t, err)
			require.Equal(t, "tick", string(buf[:n]))
			require.Equal(t, time.Duration(i+2)*time.Second, time.Since(start))
		}
		_, err = resp.Body.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
	})
}

// trickle sends the headers after one second, and then three ticks, one per second.
func trickle(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Second)
	w.(http.Flusher).Flush()
	for range 3 {
		select {
		case <-time.After(time.Second):
			write(w, "tick")
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func TestTransportContextEndsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		start := time.Now()
		resp, err := get(ctx, fakes.Client(http.HandlerFunc(trickle)))
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, "ticktick", string(body))
		require.Equal(t, 3500*time.Millisecond, time.Since(start))
	})
}

// Once the request's context has ended, the client cannot read even the buffered bytes of the body.
func TestTransportContextEndsBufferedBody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := get(ctx, fakes.Client(behaviors["text"]))
	require.NoError(t, err)
	defer resp.Body.Close()
	cancel()
	_, err = io.ReadAll(resp.Body)
	require.Equal(t, context.Canceled, err)
}

// A handler cannot write far ahead of the client, and its writes fail once the client has closed
// the body.
func TestTransportEndlessBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written int
		var failure error
		resp, err := get(t.Context(), fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 1000); failure == nil; {
				_, failure = w.Write(chunk)
				written++
			}
		})))
		require.NoError(t, err)
		synctest.Wait()
		ahead := written
		require.Less(t, ahead, 100, "the handler must wait until the client has read")
		n, err := io.CopyN(io.Discard, resp.Body, 100_000)
		require.NoError(t, err)
		require.EqualValues(t, 100_000, n)
		synctest.Wait()
		require.Greater(t, written, ahead)
		resp.Body.Close()
		synctest.Wait()
		require.ErrorIs(t, failure, http.ErrBodyReadAfterClose)
		_, err = resp.Body.Read(make([]byte, 1))
		require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
	})
}

// A body is complete once it reaches its declared length, even if the handler is still running.
func TestTransportDeclaredLengthEndsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, err := get(t.Context(), fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "2")
			write(w, "ok")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})))
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "ok", string(body))
		resp.Body.Close()
	})
}

type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

func TestTransportRequestBody(t *testing.T) {
	boom := errors.New("boom")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		ctx    context.Context
		url    string
		body   io.Reader
		length int64
		want   string
	}{
		"read":             {t.Context(), "https://a.test/", strings.NewReader("abc"), 3, ""},
		"body not rewound": {t.Context(), "https://a.test/", strings.NewReader(""), 3, "ContentLength=3 with Body length 0"},
		"broken":           {t.Context(), "https://a.test/", io.MultiReader(strings.NewReader("a"), errReader{boom}), -1, "boom"},
		"canceled":         {canceled, "https://a.test/", strings.NewReader("abc"), 3, "context canceled"},
		"other scheme":     {t.Context(), "ftp://a.test/", strings.NewReader("abc"), 3, "unsupported protocol scheme"},
		"no host":          {t.Context(), "https:///x", strings.NewReader("abc"), 3, "no host"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			body := &closeCounter{Reader: tt.body}
			req, err := http.NewRequestWithContext(tt.ctx, http.MethodPut, tt.url, body)
			require.NoError(t, err)
			req.ContentLength = tt.length
			transport := &fakes.Transport{Handler: behaviors["echo"]}
			resp, err := transport.RoundTrip(req)
			require.Equal(t, 1, body.closed)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			resp.Body.Close()
		})
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestTransportGoexit(t *testing.T) {
	err := getError(t.Context(), fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() })))
	require.ErrorIs(t, err, io.EOF)
}

func TestTransportZero(t *testing.T) {
	err := getError(t.Context(), &http.Client{Transport: &fakes.Transport{}})
	require.ErrorContains(t, err, "without a Handler")
}

// Once the client has read a body to the end, Read keeps returning io.EOF, even after the context
// ends.
func TestTransportEOFRepeats(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := get(ctx, fakes.Client(behaviors["text"]))
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	cancel()
	_, err = resp.Body.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
}

// Body bytes that arrive exactly at the deadline are too late.
func TestTransportDeadlineWithBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			resp, err := get(ctx, fakes.Client(http.HandlerFunc(trickle)))
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.Equal(t, "tick", string(body))
			require.Equal(t, context.DeadlineExceeded, err)
			resp.Body.Close()
			cancel()
		}
	})
}
