package fakes

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/stream"
)

// Endless sends the service's response and then repeats text, with a pause of d before each copy,
// until the client gives up. If text is white space, a JSON body stays valid. If d is 0, Endless
// sends as fast as the client reads.
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
					err = wait(r.Context(), d)
				}
				if err != nil {
					panic(http.ErrAbortHandler)
				}
				chunk = repeated(text, d)
			}
		})
	}
}

// repeated returns the bytes to send in one write: one copy of text or, if there is no pause
// between copies, many.
func repeated(text string, d time.Duration) []byte {
	if d > 0 {
		return []byte(text)
	}
	return bytes.Repeat([]byte(text), max(1, stream.Window/max(len(text), 1)))
}

// GzipBomb sends the service's response followed by size bytes of white space, all compressed with
// gzip. That is about size/1000 bytes on the wire. Over a socket, net/http decompresses the body
// unless the client asked for gzip itself. A [Transport] does not decompress it.
func GzipBomb(size int64) func(http.Handler) http.Handler {
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
				panic(http.ErrAbortHandler) // the client has disconnected
			}
		})
	}
}

// blank is an endless io.Reader of spaces.
type blank struct{}

// Read fills p with spaces.
func (blank) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
