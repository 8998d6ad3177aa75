package record

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// If a response has no Date, the date in its Retry-After is compared with the arrival time.
func TestRetryAfterDateWithoutDate(t *testing.T) {
	arrived := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := http.Header{"Retry-After": {arrived.Add(5 * time.Minute).Format(http.TimeFormat)}}
	c := &Cadence{Default: time.Minute, Min: 10 * time.Second, Max: 10 * time.Minute}
	for name, read := range map[string]func(*Record){
		"status": func(r *Record) { r.schedule(h, 0, &strategy.Detour{}, c) },
		"failed": func(r *Record) { r.backOff(h, c) },
		"check": func(r *Record) {
			r.alternateFailed(&Reading{Answer: strategy.Answer{Header: h}, Err: &lroerrors.StatusError{StatusCode: http.StatusTooManyRequests}}, c)
		},
	} {
		r := Record{Phase: Polling, LastRead: arrived, Pause: minu, Status: &strategy.Status{}}
		read(&r)
		require.Equal(t, arrived.Add(5*time.Minute), r.Next(), name)
	}
}

// TestPauses checks the pause after each of several events, and whether the service or the strategy
// asked for it.
func TestPauses(t *testing.T) {
	growing := Cadence{First: time.Second, Default: time.Minute, Min: time.Second, Max: 10 * time.Minute}
	asks := func(seconds string) event { return reports("", Move{}, "Retry-After", seconds) }
	beside := func(header ...string) event {
		return reports("", Move{Detour: strategy.Detour{FromCheck: true}}, header...)
	}
	for _, row := range []struct {
		name   string
		c      Cadence
		events []event
		want   []string
	}{
		{"constant", defaults.Cadence, []event{inProgress, inProgress}, []string{"1m", "1m"}},
		{"growing", growing, []event{inProgress, inProgress, inProgress, inProgress, inProgress, inProgress, inProgress, inProgress}, []string{"1s", "2s", "4s", "8s", "16s", "32s", "1m", "1m"}},
		{"growing from less than Min", Cadence{First: time.Second, Default: time.Minute, Min: 3 * time.Second, Max: time.Hour}, []event{inProgress, inProgress, inProgress}, []string{"3s", "3s", "4s"}},
		{"a failed read does not change the pace", growing, []event{inProgress, inProgress, code(500), inProgress}, []string{"1s", "2s", "1s", "4s"}},
		{"a check does not change the pace", growing, []event{inProgress, beside(), inProgress}, []string{"1s", "1s", "2s"}},
		{"remembered", growing, []event{asks("30"), inProgress, asks("20"), inProgress}, []string{"30s asked", "30s asked", "20s asked", "20s asked"}},
		{"the header, not the body", growing, []event{reports("", Move{Move: strategy.Move{After: 20 * time.Second}}, "Retry-After", "30")}, []string{"30s asked"}},
		{"remembered beyond a failed read", growing, []event{asks("30"), code(500, "Retry-After", "5"), inProgress}, []string{"30s asked", "5s asked", "30s asked"}},
		{"a check is not remembered", growing, []event{beside("Retry-After", "30"), inProgress}, []string{"30s asked", "1s"}},
		{"a check of another URL does not ask", growing, []event{reports("", Move{strategy.Move{Poll: checkURL}, strategy.Detour{FromCheck: true}}, "Retry-After", "30")}, []string{"1s"}},
		{"failing", defaults.Cadence, []event{code(500), code(500), code(429), code(500, "Retry-After", "0"), code(500)}, []string{"10s", "20s", "40s", "10s asked", "2m40s"}},
		{"failing for long", defaults.Cadence, slices.Repeat([]event{code(500)}, 8), []string{"10s", "20s", "40s", "1m20s", "2m40s", "5m20s", "10m", "10m"}},
		{"held, then failing", defaults.Cadence, []event{holds, code(500), inProgress}, []string{"1h held", "10s", "1m"}},
		{"held, then in progress", defaults.Cadence, []event{holds, inProgress}, []string{"1h held", "1m"}},
		{"at once, although the service asked", defaults.Cadence, []event{reports("", Move{Move: strategy.Move{Now: true}}, "Retry-After", "30")}, []string{"at once"}},
		{"at once, although held", defaults.Cadence, []event{reports("", Move{strategy.Move{Now: true}, strategy.Detour{Hold: time.Hour}})}, []string{"at once"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := polling()()
			var got []string
			for _, e := range row.events {
				apply(r, e, &Rules{row.c, defaults.Patience})
				got = append(got, pauseOf(r)+kindOf(r))
			}
			require.Equal(t, row.want, got)
		})
	}
}

// kindOf returns the reasons why the current pause must not be shortened.
func kindOf(r *Record) string {
	kind := ""
	if r.IsAsked() {
		kind += " asked"
	}
	if r.IsHeld(r.Next().Add(-1)) {
		kind += " held"
	}
	if r.IsFixed() != (kind != "") || r.IsHeld(r.Next()) {
		kind += " (inconsistent)"
	}
	return kind
}

func TestHold(t *testing.T) {
	r := Record{LastRead: arrived}
	r.Hold(time.Hour)
	require.Equal(t, Record{LastRead: arrived, Held: true, Pause: 60 * minu}, r)
}

// A pause is never negative, even if pauseUntil gets a time before the last read.
func TestPauseIsNotNegative(t *testing.T) {
	r := Record{LastRead: arrived}
	r.pauseUntil(arrived.Add(-time.Hour), false)
	require.Zero(t, r.Pause)
}

// The pause grows up to Max and does not overflow, however many reads have failed.
func TestBackOffGrowth(t *testing.T) {
	for n, want := range map[int]time.Duration{-1: 10 * time.Second, 0: 10 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 7: 10 * time.Minute, maxCount: 10 * time.Minute} {
		require.Equal(t, want, defaults.Cadence.growing(n), n)
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]string{
		"1m30s":    "1m30s",
		"0s":       "0s",
		"1000000h": "876000h0m0s",
		"-1s":      "invalid duration",
		"":         "invalid duration",
		"secret":   "invalid duration",
	} {
		var d span
		got := ""
		if err := d.UnmarshalText([]byte(text)); err != nil {
			got = err.Error()
		} else {
			b, err := d.MarshalText()
			require.NoError(t, err)
			got = string(b)
		}
		require.Equal(t, want, got, text)
	}
}

// Postpone never makes a read earlier. Waiting for a turn at the throttle gate does not count
// against Patience.
func TestPostpone(t *testing.T) {
	r := polling()()
	read := code(500).read
	require.Empty(t, r.Apply(&read, arrived, arrived, &defaults).Reason)
	r.Postpone(arrived.Add(time.Second))
	require.Equal(t, arrived.Add(10*time.Second), r.Next())
	for range 4 {
		due := r.LastRead.Add(time.Hour)
		r.Postpone(due)
		require.Equal(t, due, r.Next())
		require.True(t, r.IsFixed())
		require.Empty(t, r.Apply(&read, due, due, &defaults).Reason)
	}
	require.Equal(t, 5, r.FailedReads().Count)

	r = polling()()
	r.Now = 1
	r.Postpone(r.LastRead.Add(time.Minute))
	require.Equal(t, r.LastRead.Add(time.Minute), r.Due())
}
