package reqctx

import (
	"context"
	"net/http"
)

// TravellingNames are the headers of the first request that every later request repeats:
// the ids that correlate requests, and the language of messages (resource provider API
// v2.0, "Client Request Headers"; X-Correlation-Id of IBM Cloud).
var TravellingNames = [...]string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Sent is what package transport reports about the exchange behind a response.
type Sent struct {
	Attempts     int  // how many times the request was sent; 0 if unknown
	Unanswered   bool // as in the StatusError of package errors
	FollowWrites bool // the option of the Transport
}

type sentKey struct{}

// WithSent returns a copy of req that carries s. It becomes the Request of a response.
func WithSent(req *http.Request, s Sent) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), sentKey{}, s))
}

// SentOf returns what req carries. req may be nil.
func SentOf(req *http.Request) (s Sent) {
	if req != nil {
		s, _ = req.Context().Value(sentKey{}).(Sent)
	}
	return s
}
