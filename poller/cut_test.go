package poller_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/transport"
)

// The tests in this file need real sockets, because they depend on how a connection closes.

// A cutter answers each request with the next raw response for its method and path, then closes the
// connection. It repeats the last response.
type cutter struct {
	url     string
	client  *http.Client
	secure  *tls.Config // nil means plain HTTP
	abrupt  bool        // whether to close a TLS connection without close_notify
	mu      sync.Mutex
	answers map[string][]string
}

func cut(t *testing.T, form cutForm, answers map[string][]string) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // Listen does not block
	require.NoError(t, err)
	c := &cutter{url: "http://" + listener.Addr().String(), abrupt: form.abrupt, answers: answers}
	base := &http.Transport{}
	if form.secure {
		borrowed := httptest.NewTLSServer(nil) // provides a certificate
		borrowed.Close()
		c.url, c.secure = "https://"+listener.Addr().String(), borrowed.TLS
		base.TLSClientConfig = borrowed.Client().Transport.(*http.Transport).TLSClientConfig
	}
	c.client = transport.NewClient(&transport.Options{Base: base, Retries: -1})
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { c.answer(conn) })
		}
	})
	t.Cleanup(func() { listener.Close(); open.Wait() })
	return c
}

func (c *cutter) answer(raw net.Conn) {
	defer raw.Close()
	conn := raw
	if c.secure != nil {
		conn = tls.Server(raw, c.secure)
	}
	if !c.abrupt {
		defer conn.Close()
	}
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, req.Body) // unread data would make Close reset the connection
	what := req.Method + " " + req.URL.Path
	c.mu.Lock()
	list := c.answers[what]
	if len(list) > 1 {
		c.answers[what] = list[1:]
	}
	c.mu.Unlock()
	if len(list) > 0 {
		_, _ = io.WriteString(conn, list[0])
	}
}

func (c *cutter) begin(t *testing.T, method string, opts *poller.Options) (*poller.Poller[raw], error) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, c.url+resource, strings.NewReader("{}"))
	require.NoError(t, err)
	return poller.Begin[raw](req, c.client, opts)
}

func (c *cutter) resume(err error, opts poller.Options) (*poller.Poller[raw], error) {
	wait, _ := err.(*lroerrors.WaitError) //nolint:errorlint // only the outermost error counts
	token, err := wait.ResumeToken()
	if err != nil {
		return nil, err
	}
	opts.Origins = []string{c.url}
	return poller.Resume[raw](token, c.client, &opts)
}

// A cutForm describes how to send a response whose body ends when the connection closes.
type cutForm struct {
	proto, header  string
	secure, abrupt bool
}

// head returns a response's status line and headers.
func (f cutForm) head(code, header string) string {
	return f.proto + " " + code + "\r\n" + header + f.header + "\r\n"
}

var cutForms = map[string]cutForm{
	"Connection: close":        {proto: "HTTP/1.1", header: "Connection: close\r\n"},
	"no length":                {proto: "HTTP/1.1"},
	"gzip":                     {proto: "HTTP/1.1", header: "Connection: close\r\nContent-Encoding: gzip\r\n"},
	"HTTP/1.0":                 {proto: "HTTP/1.0", header: "Content-Type: application/json\r\n"},
	"TLS":                      {proto: "HTTP/1.1", header: "Connection: close\r\n", secure: true},
	"TLS without close_notify": {proto: "HTTP/1.1", header: "Connection: close\r\n", secure: true, abrupt: true},
}

func whole(body string) string { return "HTTP/1.0 200 OK\r\n\r\n" + body }

// A response that needs a body is incomplete if it has no Content-Length and the connection closes
// right after the headers.
func TestResponseClosedAfterHeaders(t *testing.T) {
	const async, location = "Azure-AsyncOperation: " + monitor + "\r\n", "Location: " + monitor + "\r\n"
	for name, form := range cutForms {
		t.Run(name+"/at a Location", func(t *testing.T) {
			for _, code := range []string{"200 OK", "201 Created", "400 Bad Request", "409 Conflict"} {
				c := cut(t, form, map[string][]string{"PUT " + resource: {form.head("202 Accepted", location)}, get(monitor): {form.head("202 Accepted", ""), form.head(code, ""), whole(`{"n":1}`)}})
				p, err := c.begin(t, "PUT", nil)
				require.NoError(t, err, "a 202 must be valid without a body")
				_, err = p.Poll(t.Context())
				require.NoError(t, err, "a 202 must be valid without a body")
				requireCut(t, p, code)
				_, err = p.Poll(t.Context())
				require.NoError(t, err)
				v, err := p.Result(t.Context())
				require.NoError(t, err)
				require.JSONEq(t, `{"n":1}`, string(v))
			}
		})
		t.Run(name+"/as a status", func(t *testing.T) {
			words := &poller.Options{Words: map[string]poller.State{"": poller.Succeeded}} // quirk W6
			c := cut(t, form, map[string][]string{"POST " + resource: {form.head("202 Accepted", async)}, get(monitor): {form.head("200 OK", ""), whole(`{"status":"Succeeded"}`)}})
			p, err := c.begin(t, "POST", words)
			require.NoError(t, err)
			requireCut(t, p, "200 OK")
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
		})
		t.Run(name+"/as the result", func(t *testing.T) {
			c := cut(t, form, map[string][]string{"PUT " + resource: {form.head("201 Created", async)}, get(monitor): {whole(`{"status":"Succeeded"}`)}, get(resource): {form.head("200 OK", ""), whole(`{"n":1}`)}})
			p, err := c.begin(t, "PUT", nil)
			require.NoError(t, err, "the body is not needed, because a header says where to poll")
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			_, err = p.Result(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			v, err := p.Result(t.Context())
			require.NoError(t, err)
			require.JSONEq(t, `{"n":1}`, string(v))
		})
		t.Run(name+"/as the first response", func(t *testing.T) {
			for _, method := range []string{"PUT", "PATCH", "POST", "DELETE"} {
				c := cut(t, form, map[string][]string{method + " " + resource: {form.head("200 OK", "")}, get(resource): {whole(widget[4:]), "HTTP/1.0 404 Not Found\r\n\r\n"}})
				_, err := c.begin(t, method, nil)
				require.ErrorIs(t, waitOf(t, err, lroerrors.ReasonUnfollowable), io.ErrUnexpectedEOF, method)
				p, err := c.resume(err, poller.Options{Strategy: arm.ProvisioningState})
				if method == "POST" {
					requireWait(t, err, lroerrors.ReasonUnfollowable)
					continue
				}
				require.NoError(t, err, "the poller must read the resource instead")
				for !p.Done() {
					_, err = p.Poll(t.Context())
					require.False(t, isWaitError(err), err)
				}
				require.Equal(t, poller.Succeeded, p.Status().State)
			}
		})
	}
}

// requireCut polls once. It fails the test unless the response is cut off and the operation is
// still in progress.
func requireCut(t *testing.T, p *poller.Poller[raw], code string) {
	t.Helper()
	st, err := p.Poll(t.Context())
	require.IsType(t, &lroerrors.StatusError{}, err, code)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "the body is empty and ends when the connection closes")
	require.Equal(t, poller.InProgress, st.State)
	require.False(t, p.Done())
}

// The poller accepts an incomplete body if it needs only the status code.
func TestIncompleteBodyIsIgnored(t *testing.T) {
	form := cutForms["Connection: close"]
	deleting := map[string][]string{
		"DELETE " + resource: {form.head("202 Accepted", "Azure-AsyncOperation: "+monitor+"\r\n")},
		get(monitor):         {whole(`{"status":"Running"}`), form.head("404 Not Found", "")}, get(resource): {form.head("404 Not Found", "")},
	}
	c := cut(t, form, deleting)
	p, err := c.begin(t, "DELETE", nil)
	require.NoError(t, err)
	for range 3 {
		_, err = p.Poll(t.Context())
		require.False(t, isWaitError(err), err)
	}
	require.Equal(t, poller.Succeeded, p.Status().State, "a 404 ends the deletion, whatever its body")

	cancelable := &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil }}
	c = cut(t, form, map[string][]string{"PUT " + resource: {form.head("202 Accepted", "")}, "POST /cancel": {form.head("200 OK", "")}})
	p, err = c.begin(t, "PUT", cancelable)
	require.NoError(t, err)
	require.NoError(t, p.Cancel(t.Context()), "a 200 accepts the cancel request, whatever its body")
}

// If the response to a DELETE was cut off, a poller resumed from the error's token reads the
// resource to see whether it still exists.
func TestResumeIncompleteDeletion(t *testing.T) {
	form := cutForms["HTTP/1.0"]
	c := cut(t, form, map[string][]string{"DELETE " + resource: {form.head("200 OK", "")}, get(resource): {whole(`{"status":"deleting"}`), "HTTP/1.0 404 Not Found\r\n\r\n"}})
	opts := poller.Options{Strategy: ibmcloud.VPC()}
	_, err := c.begin(t, "DELETE", &opts)
	requireWait(t, err, lroerrors.ReasonUnfollowable)
	p, err := c.resume(err, opts)
	require.NoError(t, err)
	for range 2 {
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, poller.Succeeded, p.Status().State)
}

// An empty body without a Content-Length is complete if HTTP/2 or chunked encoding marks its end
// (quirk W45).
func TestCompleteEmptyBody(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			write(w, acceptedAt)
			return
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // sends the headers right away, and so without a Content-Length
	})
	for _, multiplexed := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(handler)
		srv.EnableHTTP2 = multiplexed
		srv.StartTLS()
		for _, client := range []poller.Doer{srv.Client(), clientOf(handler)} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, srv.URL+resource, http.NoBody)
			require.NoError(t, err)
			p, err := poller.Begin[raw](req, client, nil)
			require.NoError(t, err)
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
		}
		srv.Close()
	}
}

// Begin rejects a 206, because the missing part of the body may name the operation.
func TestPartialContentStartsNoOperation(t *testing.T) {
	for _, method := range []string{"PUT", "POST", "DELETE"} {
		s := serve(map[string][]reply{method + " " + resource: {"206 {}\nAzure-AsyncOperation: " + monitor}})
		_, err := poller.Begin[raw](newRequest(t, method, resource), s.client(), nil)
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.ErrorContains(t, err, "206 Partial Content: a 206 holds only a part of the body")
	}
}
