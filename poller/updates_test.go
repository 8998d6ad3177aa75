package poller_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestUpdatesYieldsEveryStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, "503", `200 {"status":"Almost"}`, succeeded}})
		p := begin(t, s, "POST", nil)
		var words []string
		for range 2 {
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				word := st.Word
				if st.ReadErr != nil {
					word = "survived " + word
				}
				words = append(words, word)
				if len(words) == 3 {
					break
				}
			}
		}
		require.Equal(t, []string{"", "Running", "survived Running", "survived Running", "Almost", "Succeeded"}, words)
		require.Len(t, s.requests(), 5)
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, poller.Succeeded, st.State)
		}
		require.Len(t, s.requests(), 5)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, "403"}})
		p := begin(t, s, "POST", nil)
		var n int
		var last error
		for st, err := range p.Updates(t.Context()) {
			n++
			last = err
			require.Equal(t, poller.InProgress, st.State)
		}
		require.Equal(t, 3, n)
		requireWait(t, last, lroerrors.ReasonRefused)
	})
	bubble(t, func(t *testing.T) {
		failed := `200 {"status":"Failed"}`
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {failed}})
		for _, err := range begin(t, s, "POST", nil).Updates(t.Context()) {
			require.NoError(t, err, "Updates must yield Failed as a status, not as an error")
		}
	})
}

func TestUpdatesYieldsReadsOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, succeeded}})
		p := begin(t, s, "POST", nil)
		time.AfterFunc(5*time.Second, func() {
			_, err := p.Poll(context.Background())
			require.NoError(t, err)
		})
		at := map[string]time.Duration{}
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			at[st.Word] = time.Since(s.began)
		}
		require.Equal(t, map[string]time.Duration{"": 0, "Running": 5 * time.Second, "Succeeded": 65 * time.Second}, at)
	})
}

func TestOneReadAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {running, `200 {"status":"Second"}`}})
		p, err := poller.Begin[raw](newRequest(t, "POST", resource), clientOf(slowly(s, 5*time.Second)), nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				st, err := p.Poll(t.Context())
				require.NoError(t, err)
				require.Equal(t, "Running", st.Word, "Poll must return the newer status that it finds at its turn")
			})
		}
		synctest.Wait()
		// Done, Status, NextPoll, ResumeToken and String do not wait for a read in flight.
		require.False(t, p.Done())
		require.Empty(t, p.Status().Word)
		require.NotZero(t, p.NextPoll())
		_, err = p.ResumeToken()
		require.NoError(t, err)
		_ = p.String()
		// Poll waits while another caller reads, but only until its own context ends.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = p.Poll(ctx)
		requireWait(t, err, lroerrors.ReasonDeadline)
		wg.Wait()
		require.Len(t, s.requests(), 2)
		st, err := p.Poll(t.Context())
		require.NoError(t, err, "without other callers, Poll must read at once")
		require.Equal(t, "Second", st.Word)
	})
}

func TestManyWaitersForOneOperation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503", running, succeeded}, get(resource): {widget}})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slowly(s, time.Second)), nil)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if i%2 == 0 {
					drain(t, p)
				}
				v, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.JSONEq(t, widget[4:], string(v))
			})
		}
		wg.Wait()
		require.Equal(t, []string{"PUT " + resource, get(monitor), get(monitor), get(monitor), get(monitor), get(resource)}, s.requests())
	})
}
