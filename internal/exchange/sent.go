package exchange

import "net/http"

// TravellingNames are the headers of the first request that every later request repeats. They
// contain the IDs that correlate requests, and the language of messages. All but X-Correlation-Id,
// which is for IBM Cloud, are defined in the resource provider API v2.0, "Client Request Headers".
var TravellingNames = [...]string{"X-Ms-Client-Request-Id", "X-Ms-Correlation-Request-Id", "X-Correlation-Id", "Accept-Language"}

// Sent is what package transport reports about the exchange that led to a response.
type Sent struct {
	Attempts     int  // how many times the request was sent; 0 if unknown
	Unanswered   bool // see StatusError.Unanswered in package errors
	FollowWrites bool // whether transport.Options.FollowWrites is set
}

// SentKey is the key of the *Sent that package transport stores in the context of a response's
// Request.
type SentKey struct{}

// SentOf returns the Sent in the context of req, or the zero Sent if there is none. req may be nil.
func SentOf(req *http.Request) Sent {
	if req != nil {
		if s, ok := req.Context().Value(SentKey{}).(*Sent); ok {
			return *s
		}
	}
	return Sent{}
}
