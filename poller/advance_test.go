package poller_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// advance calls Advance whenever a read is due, until the operation ends or an error occurs.
func advance(t *testing.T, token string, s *service, opts *poller.Options) (poller.Step[raw], error) {
	t.Helper()
	for {
		step, err := poller.Advance[raw](t.Context(), token, s.client(), opts)
		if err != nil || step.Done {
			return step, err
		}
		require.NotZero(t, step.Next)
		token = step.Token
		time.Sleep(time.Until(step.Next))
	}
}

func TestAdvance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, get(monitor): {`200 {"status":"Running"}` + "\nRetry-After: 30", "503", succeeded}, get(resource): {"404", widget},
		})
		token := tokenOf(t, begin(t, s, "PUT", trusted)) + "\n" // an editor may append a newline when it saves the token

		early, err := poller.Advance[raw](t.Context(), token, s.client(), trusted)
		require.NoError(t, err)
		require.Equal(t, token, early.Token, "the token stays the same, because no read was due")
		require.Equal(t, time.Minute, time.Until(early.Next))
		require.Len(t, s.requests(), 1)

		time.Sleep(time.Minute)
		running, err := poller.Advance[raw](t.Context(), token, s.client(), trusted)
		require.NoError(t, err)
		require.Equal(t, "Running", running.Status.Word)
		require.Equal(t, 30*time.Second, time.Until(running.Next))
		require.NotEqual(t, token, running.Token)

		time.Sleep(30 * time.Second)
		failed, err := poller.Advance[raw](t.Context(), running.Token, s.client(), trusted)
		require.NoError(t, err, "a failed read that may succeed later must not be an error")
		require.ErrorContains(t, failed.Status.ReadErr, "503")
		require.Equal(t, "Running", failed.Status.Word)
		require.Contains(t, failed.Token, `"failures"`)

		time.Sleep(time.Until(failed.Next))
		unread, err := poller.Advance[raw](t.Context(), failed.Token, s.client(), trusted)
		require.NoError(t, err, "a missing result that may appear later must not be an error")
		require.Equal(t, poller.Succeeded, unread.Status.State)
		require.False(t, unread.Done)
		require.ErrorContains(t, unread.Status.ReadErr, "404")
		require.Positive(t, time.Until(unread.Next))

		time.Sleep(time.Until(unread.Next))
		done, err := poller.Advance[raw](t.Context(), unread.Token, s.client(), trusted)
		require.NoError(t, err)
		require.True(t, done.Done)
		require.Zero(t, done.Next)
		require.JSONEq(t, strings.SplitN(widget, " ", 2)[1], string(done.Result))

		again, err := poller.Advance[raw](t.Context(), done.Token, s.client(), trusted)
		require.NoError(t, err)
		require.True(t, again.Done, "the token must preserve the end and the URL of the result")
		require.Equal(t, done.Result, again.Result)
	})
}

func TestAdvanceEndings(t *testing.T) {
	for name, tt := range map[string]struct {
		monitor  string
		patience poller.Patience
		done     bool
		err      error
		verdict  poller.Verdict
	}{
		"failed":   {monitor: `200 {"status":"Failed","error":{"code":"c"}}`, done: true, err: &lroerrors.OperationError{}, verdict: poller.Ended},
		"refused":  {monitor: "403", err: &lroerrors.WaitError{}, verdict: poller.Stuck},
		"gone":     {monitor: "410", err: &lroerrors.WaitError{}, verdict: poller.Stuck},
		"patience": {monitor: "503", err: &lroerrors.WaitError{}, verdict: poller.Later},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {tt.monitor}})
			step, err := advance(t, tokenOf(t, begin(t, s, "POST", trusted)), s, trusted)
			require.IsType(t, tt.err, err, name)
			require.Equal(t, tt.done, step.Done, name)
			require.Equal(t, tt.verdict, poller.Classify(err), name)
			require.Equal(t, tt.done, step.Next.IsZero(), name)

			next, err := poller.Resume[raw](step.Token, s.client(), trusted)
			require.NoError(t, err, "%s: the new token must be valid", name)
			require.Equal(t, tt.done, next.Done(), name)
		})
	}
}

// If the result cannot be decoded, Advance returns a ResultError and a token for reading the result
// again.
func TestAdvanceUndecodable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {`200 {"name":7}`}})
		token := tokenOf(t, begin(t, s, "PUT", trusted))
		time.Sleep(time.Minute)
		for range 2 {
			step, err := poller.Advance[[]string](t.Context(), token, s.client(), trusted)
			require.IsType(t, &lroerrors.ResultError{}, err)
			require.True(t, step.Done)
			require.Zero(t, step.Next)
			require.Equal(t, poller.Ended, poller.Classify(err))
			token = step.Token
		}
		require.Equal(t, 2, count(s.requests(), get(resource)), "each call must read the result again")
		step, err := poller.Advance[raw](t.Context(), token, s.client(), trusted)
		require.NoError(t, err)
		require.True(t, step.Done)
	})
}

// If the result is too large for a token, Advance returns the old token, so that the result can be
// read again.
func TestAdvanceLargeResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		large := `200 {"status":"Succeeded","a":"` + strings.Repeat("x", 70<<10) + `"}`
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {large}})
		step, err := advance(t, tokenOf(t, begin(t, s, "POST", trusted)), s, trusted)
		require.NoError(t, err)
		require.True(t, step.Done)
		again, err := poller.Advance[raw](t.Context(), step.Token, s.client(), trusted)
		require.NoError(t, err)
		require.Equal(t, step.Result, again.Result)
	})
}

// If Patience runs out or the service refuses to return the result, Advance sets Step.Done, but a
// later call reads the result again.
func TestAdvanceUnreadResult(t *testing.T) {
	for name, tt := range map[string]struct {
		result reply
		after  time.Duration
	}{
		"patience": {"503", time.Minute + 1830*time.Second},
		"refused":  {"403", time.Minute},
	} {
		bubble(t, func(t *testing.T) {
			replies := append(repeat(tt.result, 200), widget)
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): replies})
			step, err := advance(t, tokenOf(t, begin(t, s, "PUT", trusted)), s, trusted)
			require.IsType(t, &lroerrors.ResultError{}, err, name)
			require.True(t, step.Done, name)
			require.Zero(t, step.Next, name)
			require.Equal(t, poller.Succeeded, step.Status.State, name)
			require.Equal(t, tt.after, time.Since(s.began), name)

			reads := count(s.requests(), get(resource))
			again, err := poller.Advance[raw](t.Context(), step.Token, s.client(), trusted)
			require.Equal(t, poller.Classify(err) == poller.Ended, again.Done, "%s: %v", name, err)
			require.Equal(t, reads+1, count(s.requests(), get(resource)), name)
		})
	}
}

// After a read with the verdict Stuck, Advance returns the same token and no error until the next
// read is due. The caller must keep the verdict, because the operation may still be stuck.
func TestAdvanceEarlyAfterStuck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"403"}})
		step, err := advance(t, tokenOf(t, begin(t, s, "POST", trusted)), s, trusted)
		require.Equal(t, poller.Stuck, poller.Classify(err))
		require.Positive(t, time.Until(step.Next))
		polls := count(s.requests(), get(monitor))

		early, err := poller.Advance[raw](t.Context(), step.Token, s.client(), trusted)
		require.NoError(t, err)
		require.Equal(t, step.Token, early.Token)
		require.WithinDuration(t, step.Next, early.Next, 0)
		require.Equal(t, polls, count(s.requests(), get(monitor)))

		time.Sleep(time.Until(early.Next))
		due, err := poller.Advance[raw](t.Context(), early.Token, s.client(), trusted)
		require.Equal(t, poller.Stuck, poller.Classify(err))
		require.NotEqual(t, early.Token, due.Token)
	})
}

// The function reconcile of ExampleAdvance keeps the stored verdict if it is called before the next
// read is due.
func TestReconcileEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusForbidden)})
		client := fakes.Client(svc)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://a.test/shares/s1", http.NoBody)
		require.NoError(t, err)
		p, err := poller.Begin[share](req, client, shareOptions)
		require.NoError(t, err)
		stored := shareStatus{Token: tokenOf(t, p)}
		time.Sleep(time.Until(p.NextPoll()))
		_, err = reconcile(t.Context(), client, &stored)
		require.Error(t, err)
		stuck := stored

		pause, err := reconcile(t.Context(), client, &stored)
		require.NoError(t, err)
		require.Positive(t, pause)
		require.Equal(t, stuck, stored)
		require.Equal(t, poller.Stuck, stored.Verdict)
		require.Contains(t, stored.Message, "403")
	})
}

// If Advance fails before it reads anything, it returns the token that it received.
func TestAdvanceKeepsToken(t *testing.T) {
	s := serve(nil)
	for _, token := range []string{"", "x", `{"lro":2}`} {
		step, err := poller.Advance[raw](t.Context(), token, s.client(), trusted)
		require.Error(t, err)
		require.Equal(t, token, step.Token)
		require.False(t, step.Done)
	}
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {succeeded}})
		token := tokenOf(t, begin(t, s, "POST", trusted))
		time.Sleep(time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		step, err := poller.Advance[raw](ctx, token, s.client(), trusted)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, poller.Later, poller.Classify(err))
		require.Equal(t, token, step.Token)
		require.Len(t, s.requests(), 1)
		require.NotContains(t, fmt.Sprintf("%v %+v %#v", step, step, step), "memo")

		changed := &poller.Options{Origins: []string{origin}, Strategy: arm.Location}
		step, err = poller.Advance[raw](t.Context(), token, s.client(), changed)
		require.NoError(t, err, "the memo in the token chooses the protocol, not the Strategy of the options")
		require.True(t, step.Done)
	})
}
