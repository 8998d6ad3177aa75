package main

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A request that comes again gets the first answer again, and begins nothing.
func TestServiceKnowsRepeatedRequests(t *testing.T) {
	svc := newService(quick(t))
	args := svc.intent("https://a.test", 9)
	ask := func(id string) *httptest.ResponseRecorder {
		args.RequestID = id
		req, err := args.request(t.Context(), time.Now())
		require.NoError(t, err)
		w := httptest.NewRecorder()
		svc.ServeHTTP(w, req)
		return w
	}
	first, again := ask("one"), ask("one")
	require.Equal(t, http.StatusAccepted, first.Code)
	require.Equal(t, first.Header().Get("Location"), again.Header().Get("Location"))
	require.Equal(t, int64(1), svc.repeated.Load())
	require.Equal(t, http.StatusConflict, ask("two").Code, "another one while the first is running")
	require.Equal(t, int64(1), svc.begun.Load())
}

func TestRequestIDIsAUUID(t *testing.T) {
	require.Regexp(t, regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`), requestID())
	require.NotEqual(t, requestID(), requestID())
}
