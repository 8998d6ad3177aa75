package lroazcore_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
)

// unregistered simulates a subscription in which Microsoft.Storage is not registered yet.
type unregistered struct {
	http.Handler
	requests []string
}

func (u *unregistered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const provider = "/subscriptions/s/providers/Microsoft.Storage"
	u.requests = append(u.requests, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case len(u.requests) == 1:
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprint(w, `{"error": {"code": "MissingSubscriptionRegistration", "message": "The subscription is not registered."}}`)
	case r.URL.Path == provider+"/register":
		_, _ = fmt.Fprint(w, `{"registrationState": "Registering"}`)
	case r.URL.Path == provider:
		_, _ = fmt.Fprint(w, `{"registrationState": "Registered"}`)
	default:
		u.Handler.ServeHTTP(w, r)
	}
}

// TestRegistration checks that azcore's pipeline registers the resource provider and then resends
// the request.
func TestRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		u := &unregistered{Handler: svc}
		p, err := poller.Begin[Account](newRequest(t), lroazcore.Doer(newPipeline(t, u)), nil)
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
		require.Equal(t, []string{"POST /subscriptions/s/providers/Microsoft.Storage/register", "GET /subscriptions/s/providers/Microsoft.Storage"}, u.requests[1:3])
		require.JSONEq(t, `{"kind":"StorageV2"}`, string(svc.Requests()[0].Body), "the second attempt must have the complete body")
	})
}
