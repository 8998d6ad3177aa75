package poller_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// If the resource still says Updating when Result reads it, Result returns ErrNotDone, and the
// State is InProgress again.
func TestResourceStillUpdating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, updating, widget))
		p := begin(t, s, "PUT", nil)
		time.Sleep(time.Minute)
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.Succeeded, st.State)

		_, err = p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotDone)
		require.False(t, p.Done())
		st = p.Status()
		require.Equal(t, []any{poller.InProgress, "Updating", true}, []any{st.State, st.Word, st.Unconfirmed})
		require.Equal(t, time.Minute, time.Until(p.NextPoll()))
		_, err = p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotDone)
		require.Len(t, s.requests(), 3, "Result must send nothing before the operation has ended")

		v, err := p.PollUntilDone(t.Context())
		require.Equal(t, widgetMade, describeEnding(v, err))
		require.Equal(t, []time.Duration{0, time.Minute, time.Minute, 2 * time.Minute, 3 * time.Minute}, s.times())
		require.False(t, p.Status().Unconfirmed)
	})
}

// Advance leaves Done unset while the resource still says Updating.
func TestAdvanceWhileResourceIsUpdating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		opts := &poller.Options{Origins: []string{origin}}
		token := tokenOf(t, begin(t, s, "PUT", nil))
		var steps []bool
		for range 2 {
			time.Sleep(time.Minute)
			step, err := poller.Advance[raw](t.Context(), token, s.client(), opts)
			require.NoError(t, err)
			token = step.Token
			steps = append(steps, step.Done)
		}
		require.Equal(t, []bool{false, true}, steps)
		require.Len(t, s.requests(), 4)
	})
}

// A Group yields an operation only when its resource no longer says Updating.
func TestGroupWhileResourceIsUpdating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		g := poller.NewGroup[*poller.Poller[raw]](&poller.GroupOptions{Spread: -1})
		g.Add(begin(t, s, "PUT", nil))
		g.Close()
		for p, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			v, err := p.Result(t.Context())
			require.Equal(t, widgetMade, describeEnding(v, err))
			require.Equal(t, 2*time.Minute, time.Since(s.began))
		}
		require.Len(t, s.requests(), 4)
	})
}

func TestAcceptEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		v, err := begin(t, s, "PUT", &poller.Options{AcceptEarly: true}).PollUntilDone(t.Context())
		require.Equal(t, `result {"id":"w1","properties":{"provisioningState":"Updating"}}`, describeEnding(v, err))
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

// If Options.Words maps Updating to Succeeded, the poller does not read the resource again.
func TestWordsEndUpdating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		opts := &poller.Options{Words: map[string]poller.State{"Updating": poller.Succeeded}}
		_, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

// If T is struct{}, the poller does not read the result, even after a resume. A poller with another
// T that is resumed from the same token can still read it.
func TestUnwantedResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := asyncPut(widget)
		s := serve(script)
		p, err := poller.Begin[struct{}](newRequest(t, "PUT", resource), s.client(), nil)
		require.NoError(t, err)
		early := tokenOf(t, p)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"PUT " + resource, get(monitor)}, s.requests())
		require.Zero(t, p.NextPoll())
		late := tokenOf(t, p)

		opts := &poller.Options{Origins: []string{origin}}
		for _, token := range []string{early, late} {
			same, err := poller.Resume[struct{}](token, s.client(), opts)
			require.NoError(t, err)
			_, err = same.PollUntilDone(t.Context())
			require.NoError(t, err)
		}
		require.Zero(t, count(s.requests(), get(resource)))

		wanted, err := poller.Resume[json.RawMessage](late, s.client(), opts)
		require.NoError(t, err)
		v, err := wanted.PollUntilDone(t.Context())
		require.Equal(t, widgetMade, describeEnding(v, err))
	})
}

// If T is struct{} and the first response reports success, the poller tries once to read the
// status, but does not read the result.
func TestUnwantedResultAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {"201 {\"properties\":{\"provisioningState\":\"Succeeded\"}}\nAzure-AsyncOperation: " + monitor}, get(monitor): {"500"}})
		p, err := poller.Begin[struct{}](newRequest(t, "PUT", resource), s.client(), nil)
		require.NoError(t, err)
		require.False(t, p.Done())
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"PUT " + resource, get(monitor)}, s.requests())
		require.Zero(t, time.Since(s.began))
	})
}

// The poller waits at most ten minutes in total for a resource to stop saying Updating, even after
// a resume on a machine whose clock is behind.
func TestResourceStillUpdatingAfterResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating))
		p := begin(t, s, "PUT", nil)
		time.Sleep(time.Hour)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		_, err = p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotDone)
		time.Sleep(4 * time.Minute)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)

		token := tokenOf(t, p)
		// Add a day to every timestamp in the token, as if this machine's clock were a day behind.
		for _, at := range []time.Duration{0, time.Hour, time.Hour + 4*time.Minute, time.Hour + 5*time.Minute} {
			token = strings.ReplaceAll(token, stamp(s.began.Add(at)), stamp(s.began.Add(at+24*time.Hour)))
		}
		same, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}})
		require.NoError(t, err)
		_, err = same.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Hour+10*time.Minute, time.Since(s.began))
	})
}

// stamp formats a time as it appears in a token.
func stamp(at time.Time) string { return `"` + at.UTC().Format(time.RFC3339Nano) + `"` }
