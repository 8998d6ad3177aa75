package arohcp

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// LostRace simulates a lost race: another request changes a resource after the frontend has read
// it, but before the frontend writes it. The response is a 429 with the code Conflict and
// Retry-After: 1. The refused request has no effect, so the client may send it again. The fake
// handles one request at a time, so this race never happens without LostRace. Use LostRace as a
// Fault's Do field:
//
//	svc.Fault(fakes.Fault{Kind: fakes.Begin, Method: "PATCH", Times: 1, Do: arohcp.LostRace()})
func LostRace() func(http.Handler) http.Handler {
	a := engine.Failure(http.StatusTooManyRequests, engine.Error{
		Code:    "Conflict",
		Message: "The resource was modified by another request. Please retry. (transaction step 2 of 2)",
	})
	a.Header.Set("Retry-After", "1")
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { a.Send(w) })
	}
}
