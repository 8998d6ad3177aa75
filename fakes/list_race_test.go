package fakes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// A GET of a listing succeeds even if deletions end while the service builds the page. The test
// runs in real time, because time in a synctest bubble would stand still while the service runs.
func TestListWhileDeletionsEnd(t *testing.T) {
	const resources = 500
	svc := &fakes.Service{}
	for n := range resources {
		path := fmt.Sprintf("/widgets/w%d", n)
		svc.Put(path, map[string]any{})
		svc.Plan(fakes.Plan{Path: path, Polls: -1, Duration: 10*time.Millisecond + time.Duration(n)*20*time.Microsecond})
	}
	send := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		svc.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))
		return w
	}
	for n := range resources {
		send(http.MethodDelete, fmt.Sprintf("/widgets/w%d", n))
	}
	for {
		w := send(http.MethodGet, "/widgets")
		require.Equal(t, http.StatusOK, w.Code)
		if w.Body.String() == `{"value":[]}` {
			break
		}
	}
}
