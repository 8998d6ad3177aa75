package typedclient_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/examples/typedclient"
	"github.com/lro-go/lro/fakes"
)

const (
	group   = "/subscriptions/s/resourceGroups/g"
	widgets = group + "/providers/Microsoft.Contoso/widgets"
)

// newClient returns a client and its in-memory service, whose operations take three days.
func newClient() (*typedclient.Client, *fakes.Service) {
	svc := &fakes.Service{Default: fakes.Plan{Duration: days, RetryAfter: 5 * time.Minute}}
	return typedclient.New("https://a.test", group, fakes.Client(svc)), svc
}

const days = 72 * time.Hour

func sized(size int) typedclient.Widget {
	return typedclient.Widget{Properties: typedclient.Properties{Size: size}}
}

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, svc := newClient()
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Times: 2, Do: fakes.Status(http.StatusServiceUnavailable)})
		start := time.Now()
		p, err := c.BeginCreate(t.Context(), "w1", sized(3))
		require.NoError(t, err)
		w, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, widgets+"/w1", w.ID)
		require.Equal(t, 3, w.Properties.Size)
		require.GreaterOrEqual(t, time.Since(start), days)
		require.Less(t, time.Since(start), days+5*time.Minute)
	})
}

func TestCreateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, svc := newClient()
		svc.Plan(fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}})
		p, err := c.BeginCreate(t.Context(), "w1", sized(3))
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		var failed *lroerrors.OperationError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, "QuotaExceeded", failed.Detail.Code)
	})
}

// TestCancelAfterResume checks that another process can cancel a creation with only the token.
func TestCancelAfterResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, svc := newClient()
		svc.Plan(fakes.Plan{Method: http.MethodDelete, Duration: time.Hour})
		p, err := c.BeginCreate(t.Context(), "w1", sized(3))
		require.NoError(t, err)
		token, err := p.ResumeToken()
		require.NoError(t, err)

		other := typedclient.New("https://a.test", group, fakes.Client(svc))
		p, err = other.ResumeCreate(token)
		require.NoError(t, err)
		require.NoError(t, p.Cancel(t.Context()))
		p.WakeUp()
		_, err = p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		requests := svc.Requests()
		canceled := requests[1]
		require.Equal(t, http.MethodDelete, canceled.Method)
		require.Equal(t, "https://a.test"+widgets+"/w1?api-version=2024-05-01", canceled.URL)
	})
}

func TestGet(t *testing.T) {
	c, svc := newClient()
	svc.Put(widgets+"/w1", sized(3))
	w, err := c.Get(t.Context(), "w1")
	require.NoError(t, err)
	require.Equal(t, 3, w.Properties.Size)

	_, err = c.Get(t.Context(), "w2")
	require.ErrorIs(t, err, lroerrors.ErrNotFound)
	var refused *lroerrors.StatusError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "ResourceNotFound", refused.Detail.Code)
}

func TestList(t *testing.T) {
	c, svc := newClient()
	svc.PageSize = 2
	for _, name := range []string{"w1", "w2", "w3"} {
		svc.Put(widgets+"/"+name, sized(1))
	}
	var names []string
	for w, err := range c.List().All(t.Context()) {
		require.NoError(t, err)
		names = append(names, w.Name)
	}
	require.Equal(t, []string{"w1", "w2", "w3"}, names)
	require.Len(t, svc.Requests(), 2)
}

func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, svc := newClient()
		svc.Put(widgets+"/w1", sized(3))
		svc.Plan(fakes.Plan{Method: http.MethodPost, Duration: time.Hour, RetryAfter: time.Minute, Result: typedclient.Restarted{Seconds: 3600}})
		start := time.Now()
		p, err := c.BeginRestart(t.Context(), "w1")
		require.NoError(t, err)
		r, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3600, r.Seconds)
		require.Equal(t, time.Hour, time.Since(start))
	})
}

func TestDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, svc := newClient()
		svc.Put(widgets+"/w1", sized(3))
		start := time.Now()
		p, err := c.BeginDelete(t.Context(), "w1")
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, days, time.Since(start))
		_, there := svc.Resource(widgets + "/w1")
		require.False(t, there)

		p, err = c.BeginDelete(t.Context(), "w1")
		require.NoError(t, err)
		require.True(t, p.Done())
	})
}
