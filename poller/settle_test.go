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

// The resource of an operation that has succeeded may still say Updating. Until it does no longer,
// the State is InProgress, and Result returns ErrNotDone.
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
		require.Len(t, s.requests(), 3, "Result sends nothing before the end")

		v, err := p.PollUntilDone(t.Context())
		require.Equal(t, widgetMade, describeEnding(v, err))
		require.Equal(t, []time.Duration{0, time.Minute, time.Minute, 2 * time.Minute, 3 * time.Minute}, s.times())
		require.False(t, p.Status().Unconfirmed)
	})
}

// Advance reports such an operation as unfinished.
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

// A Group yields such an operation when its resource has moved on.
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

// A caller's Words take precedence over the usual words for an operation in progress.
func TestWordsEndUpdating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(updating, widget))
		opts := &poller.Options{Words: map[string]poller.State{"Updating": poller.Succeeded}}
		_, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(s.began))
	})
}

// The poller does not read a result that the caller does not want, not even after a resume. The
// token still leads to it.
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

// The first response may name the URL of a result that the caller does not want.
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

// The ten minutes continue after a resume on a machine whose clock is behind.
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
		for _, at := range []time.Duration{0, time.Hour, time.Hour + 4*time.Minute, time.Hour + 5*time.Minute} { // began, read, and so on
			token = strings.ReplaceAll(token, stamp(s.began.Add(at)), stamp(s.began.Add(at+24*time.Hour)))
		}
		same, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}})
		require.NoError(t, err)
		_, err = same.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Hour+10*time.Minute, time.Since(s.began))
	})
}

// stamp returns a time as a token contains it.
func stamp(at time.Time) string { return `"` + at.UTC().Format(time.RFC3339Nano) + `"` }
