package poller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Between the finding that somebody else has the turn and the taking over of that,
// he may give it back. Nobody tells of it then, so the group has to look.
func TestATurnThatWasGivenBackMeanwhile(t *testing.T) {
	resp := &http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{"Location": {"/op"}}, Body: http.NoBody,
		Request: httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.test/x", http.NoBody),
	}
	p, err := New[struct{}](resp, nil, nil)
	require.NoError(t, err)
	for _, taken := range []bool{true, false} {
		g := NewGroup(nil)
		g.Add(p)
		m := g.members[p.c]
		r := &run{group: g, ctx: t.Context(), epoch: time.Now(), wake: make(chan struct{}, 1), cancels: map[*member]context.CancelFunc{m: func() {}}}
		m.phase, p.c.taken = reading, taken
		r.done(m, &outcome{busy: true}, true)
		require.Equal(t, taken, m.begin == parked)
	}
}
