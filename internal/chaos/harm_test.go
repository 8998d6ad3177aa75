package chaos

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The following faults lose the request or its answer, in most cases by ending the connection.

func resetBefore(x *request) string {
	x.connection().reset()
	return "reset before the service got the request"
}

func closedBefore(x *request) string {
	x.connection().Close()
	return "closed before the service got the request"
}

func resetAfter(x *request) string {
	x.ask()
	x.connection().reset()
	return "reset after the service has answered"
}

// loseResponse lets the service handle the request, but then drops the connection or answers with a
// gateway's 504.
func loseResponse(x *request) string {
	x.ask()
	switch x.rand.IntN(3) {
	case 0:
		x.connection().reset()
	case 1:
		x.connection().Close()
	case 2:
		x.send(answer{http.StatusGatewayTimeout, http.Header{"Content-Type": {"text/html"}}, page})
	}
	return "handled, but the response lost"
}

// cutAfterHeaders sends headers without a Content-Length and then closes the connection. The client
// cannot see that the body is missing. Only a 204 is complete, because it has no body.
func cutAfterHeaders(x *request) string {
	a := x.ask()
	head := a.head(http.Header{"Connection": {"close"}})
	if x.rand.IntN(2) == 0 {
		head = bytes.Replace(head, []byte("HTTP/1.1"), []byte("HTTP/1.0"), 1)
	}
	c := x.connection()
	defer c.Close()
	_, _ = c.Write(head)
	return "cut after the headers of a response without a length"
}

func cutInHeaders(x *request) string {
	head := x.ask().head(nil)
	x.drop(head[:1+x.rand.IntN(len(head)-4)])
	return "cut within the headers"
}

func cutInBody(x *request) string {
	a := x.ask()
	if len(a.body) == 0 {
		x.drop(a.head(nil)[:20])
		return "cut within the headers"
	}
	x.drop(append(a.head(http.Header{"Content-Length": {strconv.Itoa(len(a.body))}}), a.body[:x.rand.IntN(len(a.body))]...))
	return "cut within the body"
}

func chunkedCut(x *request) string {
	a := x.ask()
	raw := a.head(http.Header{"Transfer-Encoding": {"chunked"}})
	if len(a.body) == 0 {
		x.drop(raw[:20])
		return "cut within the headers"
	}
	x.drop(fmt.Appendf(raw, "%x\r\n%s", len(a.body), a.body))
	return "cut before the last chunk"
}

func stalled(x *request) string {
	a := x.ask()
	raw := a.raw()
	c := x.connection()
	_, _ = c.Write(raw[:len(raw)/2])
	x.pause(x.rand.IntN(80))
	c.reset()
	return "stalled half-way, then reset"
}

// The following faults replace the answer.

func notHTTP(x *request) string {
	if x.rand.IntN(2) == 0 {
		x.ask()
	}
	x.drop([]byte(pick(x.rand, []string{
		"SSH-2.0-OpenSSH_9.9\r\n", "\x16\x03\x01\x00\x05hello", "HTTP/9.9 whatever\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n{}", "\r\n\r\n\r\n",
	})))
	return "not HTTP"
}

func brokenChunks(x *request) string {
	x.drop([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n{}"))
	return "malformed chunks"
}

func brokenGzip(x *request) string {
	a := x.ask()
	if len(a.body) == 0 {
		x.drop(nil)
		return "closed after the service has answered"
	}
	a.header = a.header.Clone()
	a.header.Set("Content-Encoding", "gzip")
	x.send(a)
	return "malformed gzip"
}

func refusal(x *request) string {
	code := pick(x.rand, []int{408, 424, 500, 502, 503, 504, 599})
	x.askMore(x.send, answer{code, x.retryAfter(), []byte(`{"error":{"code":"Chaos","message":"Not now."}}`)})
	return "408, 424 or 5xx"
}

func throttled(x *request) string {
	x.send(answer{429, x.retryAfter(), []byte(`{"error":{"code":"TooManyRequests","message":"Slowly."}}`)})
	return "429"
}

var page = []byte("<!DOCTYPE html><html><head><title>Gateway</title></head><body>It will be fixed soon.</body></html>")

func htmlError(x *request) string {
	x.askMore(x.send, answer{pick(x.rand, []int{502, 503}), http.Header{"Content-Type": {"text/html"}}, page})
	return "502 or 503 with HTML"
}

func htmlPage(x *request) string {
	x.askMore(x.send, answer{200, http.Header{"Content-Type": {"text/html"}}, page})
	return "200 with HTML"
}

// halfDocument sends a complete response with only part of a document. That part is never empty,
// because an empty body would mean success without a result.
func halfDocument(x *request) string {
	a := x.ask()
	if len(a.body) < 2 {
		x.drop(nil)
		return "closed after the service has answered"
	}
	a.body = a.body[:1+x.rand.IntN(len(a.body)-1)]
	x.send(a)
	return "half a document"
}

func otherJSON(x *request) string {
	x.send(answer{200, http.Header{"Content-Type": {"application/json"}}, []byte(pick(x.rand, []string{
		`{"message":"welcome"}`, `[]`, `null`, `"Succeeded"`, `{"value":[{"status":"Succeeded"}]}`, `{"status":{"code":1}}`,
	}))})
	return "JSON with a different structure"
}

// The following faults answer with an earlier state, or deliver the request or the answer twice.

func publishedLate(x *request) string {
	x.send(answer{404, nil, []byte(`{"error":{"code":"NotFound","message":"Not yet."}}`)})
	return "404 at first"
}

func stale(x *request) string {
	x.f.mu.Lock()
	a := x.life.shown[x.r.URL.String()]
	x.f.mu.Unlock()
	x.send(a)
	return "an earlier answer repeated"
}

func askedTwice(x *request) string {
	first := x.ask()
	second := x.ask()
	if x.rand.IntN(2) == 0 {
		first = second
	}
	x.send(first)
	return "delivered to the service twice"
}

func answeredTwice(x *request) string {
	raw := x.ask().rawWith("Connection", "close")
	c := x.connection()
	defer c.Close()
	_, _ = c.Write(bytes.Repeat(raw, 2))
	return "answered twice"
}

// The following faults delay the answer or send it in an unusual way.

func delayed(x *request) string {
	x.pause(x.rand.IntN(40))
	a := x.ask()
	x.pause(x.rand.IntN(40))
	x.send(a)
	return "delayed"
}

func trickled(x *request) string {
	raw := x.ask().rawWith("Connection", "close")
	c := x.connection()
	defer c.Close()
	for part := range 4 {
		_, _ = c.Write(raw[part*len(raw)/4 : (part+1)*len(raw)/4])
		x.pause(x.rand.IntN(8))
	}
	return "sent in four parts"
}

func sendInformational(x *request) string {
	for range 1 + x.rand.IntN(3) {
		x.w.WriteHeader(pick(x.rand, []int{102, 103}))
	}
	x.send(x.ask())
	return "1xx before the answer"
}

func lastOfConnection(x *request) string {
	x.w.Header().Set("Connection", "close")
	x.send(x.ask())
	return "connection closed after a complete answer"
}

// pause waits for the given number of milliseconds or until the client is gone.
func (x *request) pause(ms int) { _ = pause(x.r.Context(), ms) }

// pause waits for the given number of milliseconds. It returns an error if ctx ends first.
func pause(ctx context.Context, ms int) error {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
