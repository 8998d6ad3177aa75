package fakes

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Status responds with a status code. For a code of 400 or above, it adds an error body with a
// matching error code.
func Status(code int) func(http.Handler) http.Handler {
	a := engine.Answer{StatusCode: code}
	if code >= http.StatusBadRequest {
		text := http.StatusText(code)
		a = engine.Failure(code, engine.Error{Code: identifier(text), Message: fmt.Sprintf("The request was answered %d %s.", code, text)})
	}
	return instead(a)
}

// Respond responds with a status code and a body. Use it for responses that no Plan produces. If
// the body is JSON, the Content-Type is application/json.
func Respond(code int, body string) func(http.Handler) http.Handler {
	a := engine.Answer{StatusCode: code, Body: []byte(body)}
	if _, err := engine.Decode(a.Body); err == nil {
		a = engine.JSON(code, a.Body)
	}
	return instead(a)
}

// HTML responds with a status code and an HTML page, as a proxy in front of the service might.
func HTML(code int) func(http.Handler) http.Handler {
	return instead(engine.Answer{
		StatusCode: code,
		Header:     http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:       []byte("<!DOCTYPE html>\n<html><head><title>Runtime Error</title></head><body><h1>Something went wrong</h1></body></html>\n"),
	})
}

// Throttle responds with 429 Too Many Requests and a Retry-After in whole seconds, rounded up. If
// retryAfter is 0, the response has no Retry-After.
func Throttle(retryAfter time.Duration) func(http.Handler) http.Handler {
	a := engine.Failure(http.StatusTooManyRequests, engine.Error{Code: "TooManyRequests", Message: "The request is being throttled."})
	if retryAfter > 0 {
		a.Header.Set("Retry-After", engine.Seconds(retryAfter))
	}
	return instead(a)
}

// Challenge responds with 401 Unauthorized and a Bearer challenge in WWW-Authenticate. If claims is
// "", the challenge rejects the token as invalid. Otherwise it demands a token with these claims (a
// JSON object), as ARM does for continuous access evaluation (Microsoft identity platform, "Claims
// challenges").
func Challenge(claims string) func(http.Handler) http.Handler {
	challenge := `Bearer realm="", error="invalid_token"`
	if claims != "" {
		challenge = `Bearer realm="", error="insufficient_claims", claims="` + base64.StdEncoding.EncodeToString([]byte(claims)) + `"`
	}
	a := engine.Failure(http.StatusUnauthorized, engine.Error{Code: "InvalidAuthenticationToken", Message: "The access token is invalid."})
	a.Header.Set("WWW-Authenticate", challenge)
	return instead(a)
}

// Header sets a header of the service's response, or removes the header if value is "".
func Header(name, value string) func(http.Handler) http.Handler {
	return Edit(func(a *Answer) {
		a.Header.Set(name, value)
		if value == "" {
			a.Header.Del(name)
		}
	})
}

// An Answer is a response that has not been sent yet. A function passed to [Edit] can change it.
type Answer struct {
	StatusCode int
	Header     http.Header
	Body       []byte
}

// Edit calls the service and lets the given function change the response before it is sent. If the
// function sets a Content-Length, that value is sent even if it is wrong.
func Edit(change func(*Answer)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := capture(next, w.Header(), r)
			change(&a)
			clear(w.Header())
			engine.Answer{StatusCode: a.StatusCode, Header: a.Header, Body: a.Body}.Send(w)
		})
	}
}

// instead returns middleware that responds with the given answer and does not call the service.
func instead(a engine.Answer) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { a.Send(w) })
	}
}

// capture calls h and returns its response, which has the given headers unless h changes them.
func capture(h http.Handler, header http.Header, r *http.Request) Answer {
	c := &captured{header: header.Clone()}
	h.ServeHTTP(c, r)
	c.WriteHeader(http.StatusOK)
	return Answer{StatusCode: c.code, Header: c.header, Body: c.body.Bytes()}
}

// captured is an http.ResponseWriter that keeps the response in memory.
type captured struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (c *captured) Header() http.Header         { return c.header }
func (c *captured) Write(p []byte) (int, error) { return c.body.Write(p) }

func (c *captured) WriteHeader(code int) {
	if c.code == 0 {
		c.code = code
	}
}

// identifier turns a status text into an error code: "Not Found" becomes "NotFound".
func identifier(text string) string {
	var b []byte
	for _, c := range []byte(text) {
		if c != ' ' && c != '-' && c != '\'' {
			b = append(b, c)
		}
	}
	return string(b)
}

// sendPart sends the answer's headers, with the Content-Length of the whole body, but only the
// first n bytes of the body.
func sendPart(w http.ResponseWriter, a Answer, n int) {
	clear(w.Header())
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.StatusCode)
	_, _ = w.Write(a.Body[:min(n, len(a.Body))])
	_ = http.NewResponseController(w).Flush()
}
