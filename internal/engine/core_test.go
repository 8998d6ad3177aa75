package engine

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/poller/strategy"
)

// A fixedSource returns the same Reading from every read.
type fixedSource struct {
	Source
	read record.Reading
}

func (s fixedSource) Read(context.Context, record.Record, bool) record.Reading { return s.read }

var rules = record.Rules{
	Cadence:  record.Cadence{Default: time.Minute, Min: 10 * time.Second, Max: time.Hour},
	Patience: record.Patience{Time: time.Hour, Failures: 5},
}

// minute is a minute in nanoseconds. It is untyped so that it can be assigned to Pause, whose type
// is not exported.
const minute = 60_000_000_000

// coreOf returns a Core whose reads all return the given reading. The first read is due now.
func coreOf(read record.Reading) *Core {
	at := now()
	r := record.Record{
		Phase:    record.Polling,
		Poll:     "https://a.test/op",
		Status:   &strategy.Status{State: strategy.InProgress},
		LastRead: at.Add(-time.Minute),
		Pause:    minute,
	}
	return NewCore(&Settings{Rules: rules, Logger: slog.New(slog.DiscardHandler)}, fixedSource{read: read}, r)
}

// If a Group abandons a read just as its response arrives, the Core ignores the response.
func TestAbandonedReadHasNoResponse(t *testing.T) {
	read := record.Reading{Err: &lroerrors.StatusError{Method: http.MethodGet, URL: "https://a.test/op", StatusCode: http.StatusTooManyRequests}, Authentic: true}
	read.Code = http.StatusTooManyRequests
	read.Header = http.Header{"Retry-After": {"500"}}
	read.Move = record.Move{Move: strategy.Move{Poll: "https://a.test/other"}}

	c := coreOf(read)
	ctx, abandon := context.WithCancelCause(t.Context())
	abandon(ErrAbandoned)
	err := c.ReadOnce(ctx)

	require.Equal(t, &lroerrors.StatusError{Method: http.MethodGet, URL: "https://a.test/op", Err: ErrAbandoned}, err)
	after := c.Record()
	require.Equal(t, "https://a.test/op", string(after.Poll))
	require.Equal(t, rules.Cadence.Min, after.Next().Sub(after.LastRead))
	require.Zero(t, after.FailedReads().Count)
}

// WakeUp keeps early reads at least Cadence.Min apart. A read that was already due when WakeUp was
// called is not early.
func TestDueReadIsNotEarly(t *testing.T) {
	for isDue, want := range map[bool]time.Duration{true: time.Second, false: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := coreOf(record.Reading{Move: record.Move{Move: strategy.Move{Status: strategy.Status{State: strategy.InProgress}}}})
			if !isDue {
				c.rec.Pause += minute
			}
			start := now()
			c.WakeUp()
			err := c.ReadOnce(t.Context())
			require.NoError(t, err)
			time.Sleep(time.Second)
			c.WakeUp()
			require.Equal(t, want, c.Status().NextPoll.Sub(start))
		})
	}
}

// If the wall clock is set back during a pause, the next read still happens when the pause is over.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := coreOf(record.Reading{})
		const pause = 5 * time.Minute
		c.rec.LastRead = now()
		c.rec.Pause = 5 * minute
		c.markLocked(time.Now())
		began := time.Now()

		time.Sleep(time.Minute)
		c.rec.LastRead = c.rec.LastRead.Add(24 * time.Hour) // as if the clock had been set back by a day
		c.shown += int64(24 * time.Hour)

		require.Equal(t, 4*time.Minute, time.Until(c.Status().NextPoll))
		require.NoError(t, c.sleep(t.Context(), 0, ForEnd))
		require.Equal(t, pause, time.Since(began))
	})
}

// The time that the machine spends suspended counts toward a pause.
func TestClockSetForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := coreOf(record.Reading{})
		c.rec.Pause += 5 * minute
		c.markLocked(time.Now())

		c.rec.LastRead = c.rec.LastRead.Add(-time.Hour) // as if the machine had been suspended for an hour
		c.shown -= int64(time.Hour)

		began := time.Now()
		require.NoError(t, c.sleep(t.Context(), 0, ForEnd))
		require.Zero(t, time.Since(began))
	})
}

// After an operation has ended, Read returns at once and notifies no observer.
func TestReadAfterEnd(t *testing.T) {
	c := coreOf(record.Reading{})
	c.rec.Phase = record.Ended
	c.rec.Status = &strategy.Status{State: strategy.Succeeded}
	var notified counter
	c.Observe(&notified)
	require.NoError(t, c.Read(t.Context(), c.Reads(), ForEnd))
	require.Zero(t, notified)
}

type counter int

func (c *counter) Changed() { *c++ }
