package fakes

import (
	"net/http"
	"time"
)

// Drop closes the connection instead of an answer. The service has not seen the
// request; for one that it has seen, see [Truncate].
func Drop() func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	}
}

// Truncate lets the service answer, and closes the connection after the headers
// and n bytes of the body. A body that is not longer, such as an empty one, does
// not arrive at all: the connection is closed before the headers.
func Truncate(n int) func(http.Handler) http.Handler {
	return partly(n, func(*http.Request) {})
}

// Hang does not answer until the client gives up.
func Hang() func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		})
	}
}

// Stall lets the service answer, sends the headers and n bytes of the body, and
// then nothing until the client gives up. A body that is not longer than that
// does not arrive at all.
func Stall(n int) func(http.Handler) http.Handler {
	return partly(n, func(r *http.Request) { <-r.Context().Done() })
}

// partly sends a part of an answer and, after that, drops the connection.
func partly(n int, after func(*http.Request)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if a := capture(next, w.Header(), r); n < len(a.Body) {
				sendPart(w, a, n)
			}
			after(r)
			panic(http.ErrAbortHandler)
		})
	}
}

// Slow asks the service only after d, or not at all if the client has given up
// by then.
func Slow(d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := wait(r.Context(), d); err != nil {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Trickle lets the service answer, sends the headers at once, and of the body n
// bytes, at least 1, after every d.
func Trickle(n int, d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := capture(next, w.Header(), r)
			sendPart(w, a, 0)
			for rest := a.Body; len(rest) > 0; {
				part := rest[:min(max(n, 1), len(rest))]
				rest = rest[len(part):]
				if err := wait(r.Context(), d); err != nil {
					panic(http.ErrAbortHandler)
				}
				_, _ = w.Write(part)
				_ = http.NewResponseController(w).Flush()
			}
		})
	}
}
