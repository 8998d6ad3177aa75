package fakes

import (
	"net/http"
	"time"
)

// Drop closes the connection without a response, and the request has no effect. To lose only the
// response, use [Truncate] with an n of at least the body's length, such as math.MaxInt.
func Drop() func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	}
}

// Truncate calls the service, sends the headers and the first n bytes of the body, and closes the
// connection. If the body has n bytes or fewer, it closes the connection without sending anything.
func Truncate(n int) func(http.Handler) http.Handler {
	return partly(n, func(*http.Request) {})
}

// Hang sends nothing and waits until the client gives up. The request has no effect.
func Hang() func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		})
	}
}

// Stall calls the service, sends the headers and the first n bytes of the body, and then hangs
// until the client gives up. If the body has n bytes or fewer, it sends nothing at all.
func Stall(n int) func(http.Handler) http.Handler {
	return partly(n, func(r *http.Request) { <-r.Context().Done() })
}

// partly returns middleware that sends the headers and the first n bytes of a response, calls the
// given function, and closes the connection. If the body has n bytes or fewer, it sends nothing.
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

// Slow waits for d, then calls the service. If the client gives up first, the request has no
// effect.
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

// Trickle calls the service and sends the headers right away. It then sends the body in pieces of n
// bytes (at least 1), and pauses for d before each piece.
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
