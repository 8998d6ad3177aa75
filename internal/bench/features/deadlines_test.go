package features

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

var deadlineRows = []row{
	{"When the wait ends, if the deadline is before the next poll", "at the deadline", "at the deadline", "at once", deadlineBeforePoll},
	{"A poller whose context ended waits again", "yes", "yes", "yes", waitsAgain},
	{"A wait leaves no goroutine after its context has ended", "yes", "no: 2, until the poll was due", "yes", goroutinesLeft},
}

// deadline returns a context with a deadline, which go-azure-sdk requires.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 72*time.Hour)
	t.Cleanup(cancel)
	return ctx
}

// waitNearDeadline waits with a timeout that is shorter than the service's Retry-After. It returns
// the outcome and the number of goroutines left.
func waitNearDeadline(t *testing.T, subject string) (o followed, left int) {
	t.Helper()
	if raced && subject == hashicorp {
		t.Skip("the poller of go-azure-sdk has a data race: two goroutines write its error")
	}
	s := asyncPut(withStatus("Succeeded"))
	s[putW] = created("Azure-AsyncOperation", arm+operation+version, "Retry-After", "600")
	before := inBubble()
	o = followWith(t, func(ctx context.Context, s *scripted) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		return followers[subject](ctx, s)
	}, s)
	synctest.Wait()
	left = inBubble() - before
	time.Sleep(10 * time.Minute) // the bubble cannot end until the remaining goroutines have ended
	return o, left
}

func deadlineBeforePoll(t *testing.T, subject string) string {
	switch o, _ := waitNearDeadline(t, subject); {
	case o.err == nil:
		return "no: ends well"
	case o.took == 0:
		return "at once"
	default:
		return "at the deadline"
	}
}

// waitsAgain waits with a context that ends while the operation is still running, then waits again
// with a new context.
func waitsAgain(t *testing.T, subject string) string {
	if raced && subject == hashicorp {
		t.Skip("the poller of go-azure-sdk has a data race: two goroutines write its error")
	}
	s := played(asyncPut(during(10*time.Minute, withStatus("Running"), withStatus("Succeeded"))))
	wait := waiter(t, subject, s, nil)
	short, cancel := context.WithTimeout(t.Context(), 5*time.Minute+5*time.Second) // ends between two polls
	defer cancel()
	if wait(short) == nil {
		return "no: ends well"
	}
	if wait(deadline(t)) != nil {
		return "no: an error"
	}
	return "yes"
}

func goroutinesLeft(t *testing.T, subject string) string {
	if _, left := waitNearDeadline(t, subject); left > 0 {
		return fmt.Sprintf("no: %d, until the poll was due", left)
	}
	return "yes"
}
