package fakes

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Status answers with a status and, from 400 on, with an error of the service
// that fits it.
func Status(code int) func(http.Handler) http.Handler {
	a := Answer{StatusCode: code}
	if code >= http.StatusBadRequest {
		text := http.StatusText(code)
		a = failure(code, Error{Code: identifier(text), Message: fmt.Sprintf("The request was answered %d %s.", code, text)})
	}
	return instead(a)
}

// Respond answers with a status and a body, as JSON if it is. It is for answers
// that no Plan has.
func Respond(code int, body string) func(http.Handler) http.Handler {
	a := Answer{StatusCode: code, Body: []byte(body)}
	if _, err := decode(a.Body); err == nil {
		a = jsonAnswer(code, a.Body)
	}
	return instead(a)
}

// HTML answers with a status and a page that is meant for people, as a proxy
// does that stands before the service.
func HTML(code int) func(http.Handler) http.Handler {
	return instead(Answer{
		StatusCode: code,
		Header:     http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:       []byte("<!DOCTYPE html>\n<html><head><title>Runtime Error</title></head><body><h1>Something went wrong</h1></body></html>\n"),
	})
}

// Throttle answers 429 Too Many Requests with a Retry-After of whole seconds,
// rounded up; without one if retryAfter is 0.
func Throttle(retryAfter time.Duration) func(http.Handler) http.Handler {
	a := failure(http.StatusTooManyRequests, Error{Code: "TooManyRequests", Message: "The request is being throttled."})
	if retryAfter > 0 {
		a.Header.Set("Retry-After", seconds(retryAfter))
	}
	return instead(a)
}

// Header lets the service answer and sets a header of the answer; "" removes it.
func Header(name, value string) func(http.Handler) http.Handler {
	return Edit(func(a *Answer) {
		a.Header.Set(name, value)
		if value == "" {
			a.Header.Del(name)
		}
	})
}

// Edit lets the service answer and has change change the answer before it is
// sent. A Content-Length that it sets is sent as it is.
func Edit(change func(*Answer)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := capture(next, w.Header(), r)
			change(&a)
			clear(w.Header())
			a.send(w)
		})
	}
}

// instead answers without asking the service.
func instead(a Answer) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { a.send(w) })
	}
}

// capture has h answer r into memory.
func capture(h http.Handler, header http.Header, r *http.Request) Answer {
	c := &captured{header: header.Clone()}
	h.ServeHTTP(c, r)
	c.WriteHeader(http.StatusOK)
	return Answer{StatusCode: c.code, Header: c.header, Body: c.body.Bytes()}
}

// A captured answer is an http.ResponseWriter.
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

// identifier makes an error code of a status text.
func identifier(text string) string {
	var b []byte
	for _, c := range []byte(text) {
		if c != ' ' && c != '-' && c != '\'' {
			b = append(b, c)
		}
	}
	return string(b)
}

// sendPart sends the headers of a, its length included, and of the body the
// first n bytes.
func sendPart(w http.ResponseWriter, a Answer, n int) {
	clear(w.Header())
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.StatusCode)
	_, _ = w.Write(a.Body[:min(n, len(a.Body))])
	_ = http.NewResponseController(w).Flush()
}
