package lroazcore_test

import (
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// respond turns a function into a policy.Transporter.
type respond func(*http.Request) *http.Response

// Do implements policy.Transporter.
func (f respond) Do(req *http.Request) (*http.Response, error) {
	resp := f(req)
	resp.Request = req
	resp.ProtoMajor = 1
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	return resp, nil
}

// atLocation returns a poller for an operation with a Location. The polls go to the given function.
// The pipeline does not retry them.
func atLocation(t *testing.T, service respond, opts *poller.Options) *runtime.Poller[Account] {
	t.Helper()
	pl := runtime.NewPipeline("lroazcore", "v0.1.0", runtime.PipelineOptions{}, &policy.ClientOptions{
		Transport: service, Retry: policy.RetryOptions{MaxRetries: -1},
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, nil)
	require.NoError(t, err)
	p, err := lroazcore.NewPoller[Account](&http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{"Location": {origin + "/op"}}, Body: http.NoBody, Request: req,
	}, pl, opts)
	require.NoError(t, err)
	return p
}

// TestPollWithoutBody checks that Poll accepts a response whose Body is nil or http.NoBody, which a
// policy or a Transporter may return.
func TestPollWithoutBody(t *testing.T) {
	for name, none := range map[string]io.ReadCloser{"nil": nil, "NoBody": http.NoBody} {
		t.Run(name, func(t *testing.T) {
			p := atLocation(t, func(*http.Request) *http.Response {
				return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{"X-Service": {"s"}}, Body: none}
			}, nil)
			resp, err := p.Poll(t.Context())
			require.NoError(t, err)
			defer resp.Body.Close()
			require.True(t, p.Done())
			require.Equal(t, http.StatusNoContent, resp.StatusCode)
			require.Equal(t, "s", resp.Header.Get("X-Service"))
			body, err := runtime.Payload(resp)
			require.NoError(t, err)
			require.Empty(t, body)
		})
	}
}

// A stalled body returns one byte at the first Read. The second Read blocks until the request's
// context ends, even after Close.
type stalled struct {
	req   *http.Request
	begun bool
}

// Read implements io.Reader.
func (s *stalled) Read(p []byte) (int, error) {
	p[0] = ' '
	if !s.begun {
		s.begun = true
		return 1, nil
	}
	<-s.req.Context().Done()
	return 1, s.req.Context().Err()
}

// Close implements io.Closer.
func (s *stalled) Close() error { return nil }

// TestResponseTimeoutDuringRead checks that the ResponseTimeout timer can close a body while the
// poller reads it, without a data race.
func TestResponseTimeoutDuringRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := atLocation(t, func(req *http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: &stalled{req: req}}
		}, &poller.Options{ResponseTimeout: time.Minute})
		start := time.Now()
		resp, err := p.Poll(t.Context())
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.False(t, p.Done())
		ours, err := lroazcore.Of(p)
		require.NoError(t, err)
		require.ErrorContains(t, ours.Status().ReadErr, "ResponseTimeout")
	})
}

// sized returns a JSON document with the given number of bytes.
func sized(size int) string {
	const document = `{"Name":"a","padding":""}`
	return strings.TrimSuffix(document, `"}`) + strings.Repeat("-", size-len(document)) + `"}`
}

// TestPollOfLargeBody checks that Poll returns a body of at most 64 KiB. Poll replaces a larger
// body with the status, or truncates it if the read failed.
func TestPollOfLargeBody(t *testing.T) {
	const shown = 64 << 10
	for name, tt := range map[string]struct {
		code       int
		body, want string
	}{
		"result as large as shown": {http.StatusOK, sized(shown), sized(shown)},
		"larger result":            {http.StatusOK, sized(shown + 1), `{"status":"Succeeded"}`},
		"still in progress":        {http.StatusAccepted, sized(shown + 1), `{"name":"a","status":"InProgress"}`},
		"failed read":              {http.StatusServiceUnavailable, sized(shown + 1), sized(shown + 1)[:shown]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := atLocation(t, func(*http.Request) *http.Response {
					return &http.Response{
						StatusCode: tt.code, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"77"}},
						ContentLength: int64(len(tt.body)), Body: io.NopCloser(strings.NewReader(tt.body)),
					}
				}, nil)
				resp, err := p.Poll(t.Context())
				require.NoError(t, err)
				defer resp.Body.Close()
				require.Equal(t, tt.code, resp.StatusCode)
				requireRequest(t, resp.Request)
				body, err := runtime.Payload(resp)
				require.NoError(t, err)
				require.True(t, tt.want == string(body), "%.100s", body)
				if !p.Done() {
					require.Equal(t, "77", resp.Header.Get("Retry-After"))
				}
			})
		})
	}
}

// TestMemoryOfLargeResult checks that Poll allocates at most three times the size of a large
// result, and keeps only one copy of the result in memory.
func TestMemoryOfLargeResult(t *testing.T) {
	const size = 32 << 20
	body := sized(size)
	p := atLocation(t, func(*http.Request) *http.Response {
		return &http.Response{StatusCode: http.StatusOK, ContentLength: size, Body: io.NopCloser(strings.NewReader(body))}
	}, nil)

	var before, after, live goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&before)
	resp, err := p.Poll(t.Context())
	goruntime.ReadMemStats(&after)
	goruntime.GC()
	goruntime.ReadMemStats(&live)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.True(t, p.Done())
	allocated := float64(after.TotalAlloc-before.TotalAlloc) / size
	kept := float64(live.HeapAlloc)/size - float64(before.HeapAlloc)/size
	t.Logf("allocated %.2f, kept %.2f times the body", allocated, kept)
	require.LessOrEqual(t, allocated, 3.0)
	require.LessOrEqual(t, kept, 1.5)

	got, err := p.Result(t.Context())
	require.NoError(t, err)
	require.Equal(t, "a", got.Name)
}
