package fakes

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"time"
)

// Endless lets the service answer, sends that, and goes on with text again and
// again, every d, until the client gives up: a body without end, whose beginning
// may be a good answer. White space keeps it one. A d of 0 sends as fast as the
// client reads.
func Endless(text string, d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := capture(next, w.Header(), r)
			a.Header.Del("Content-Length")
			maps.Copy(w.Header(), a.Header)
			w.WriteHeader(a.StatusCode)
			chunk := a.Body
			for {
				_, err := w.Write(chunk)
				if err == nil {
					err = http.NewResponseController(w).Flush()
				}
				if err == nil {
					err = pause(r, d)
				}
				if err != nil {
					panic(http.ErrAbortHandler)
				}
				chunk = repeated(text, d)
			}
		})
	}
}

// pause waits for d, and fails if the client has given up.
func pause(r *http.Request, d time.Duration) error {
	if d <= 0 {
		return r.Context().Err()
	}
	return wait(r.Context(), d)
}

// repeated is text, often where no time is to pass between one and the next.
func repeated(text string, d time.Duration) []byte {
	if d > 0 {
		return []byte(text)
	}
	return bytes.Repeat([]byte(text), max(1, window/max(len(text), 1)))
}

// Bomb lets the service answer and sends that compressed with gzip, followed by
// size bytes of white space: a thousandth of that on the wire. Over a socket
// net/http decompresses it for a client that has not asked for gzip itself; in
// memory nobody does.
func Bomb(size int64) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := capture(next, w.Header(), r)
			a.Header.Del("Content-Length")
			a.Header.Set("Content-Encoding", "gzip")
			maps.Copy(w.Header(), a.Header)
			w.WriteHeader(a.StatusCode)
			z := gzip.NewWriter(w)
			_, err := io.Copy(z, io.MultiReader(bytes.NewReader(a.Body), io.LimitReader(blank{}, size)))
			if err != nil || z.Close() != nil {
				panic(http.ErrAbortHandler) // the client has gone
			}
		})
	}
}

// blank is white space without end.
type blank struct{}

// Read never ends.
func (blank) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
