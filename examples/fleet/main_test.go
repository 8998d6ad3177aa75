package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// TestMain lets the test binary also act as the second process, because startService starts the
// executable that it is part of.
func TestMain(m *testing.M) {
	if n := len(os.Args); os.Args[n-1] == serveCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

func small() config { return config{n: 200, polls: 5, pause: 50 * time.Millisecond, faults: 0.05} }

func TestRun(t *testing.T) {
	var out bytes.Buffer
	cfg := small()
	require.NoError(t, run(t.Context(), cfg, &out))
	want := map[fakes.Ending]int{}
	for i := range cfg.n {
		want[ending(i)]++
	}
	require.Equal(t, map[fakes.Ending]int{fakes.Succeeded: 182, fakes.Failed: 11, fakes.Canceled: 7}, want)
	require.Contains(t, out.String(), "One poller.Group follows 200 operations")
	require.Contains(t, out.String(), " s: 182 done, 11 failed, 7 canceled.\n")
	for _, text := range []string{"resumed", "not started", "refused"} {
		require.NotContains(t, out.String(), text)
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &watcher{until: "waiting", then: cancel} // the first line of progress contains this word
	cfg := small()
	cfg.polls = 1000
	require.NoError(t, run(ctx, cfg, out))
	require.Contains(t, out.String(), " s: 0 done, 0 failed, 0 canceled.\n")
	require.NotContains(t, out.String(), "cannot")
	text := out.String()[strings.LastIndex(out.String(), "\n\n"):]
	require.Equal(t, 200, sum(t, text), text)
}

// A watcher is a buffer that calls a function once it contains a given text.
type watcher struct {
	bytes.Buffer
	until string
	then  func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.until) {
		w.then()
	}
	return n, err
}

// A failed write, such as to a closed pipe, ends the run.
func TestFailedWrite(t *testing.T) {
	broken := errors.New("broken pipe")
	for writes := range 3 {
		cfg := small()
		cfg.polls = 1000
		require.ErrorIs(t, run(t.Context(), cfg, &failing{left: writes, err: broken}), broken)
	}
}

// failing is a writer that returns err once it has no writes left.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestCommandRejectsWrongFlags(t *testing.T) {
	for _, wrong := range []config{
		{n: 0, polls: 1, pause: time.Second},
		{n: 1, polls: 0, pause: time.Second},
		{n: 1, polls: 1, pause: time.Microsecond},
		{n: 1, polls: 1, pause: time.Second, faults: 0.6},
		{n: 1, polls: 1, pause: time.Second, faults: math.NaN()},
	} {
		require.Error(t, command(t.Context(), wrong, nil), "%+v", wrong)
	}
	require.ErrorContains(t, command(t.Context(), small(), []string{"x"}), `"x"`)
}

// The numbers in a summary add up to the number of operations.
func TestSummary(t *testing.T) {
	s := stats{
		n: 1234, counts: counts{Started: 1220, Refused: 4, Done: 1100, Failed: 30, Canceled: 20, Resumable: 69, Lost: 1},
		elapsed: 83 * time.Second,
	}
	text := summary(s)
	require.Contains(t, text, "1,234 operations in 83.0 s: 1,100 done, 30 failed, 20 canceled.\n69 have not ended")
	require.Equal(t, s.n, sum(t, text), text)
}

// sum adds up the numbers of operations in a summary.
func sum(t *testing.T, text string) (sum int) {
	t.Helper()
	part := regexp.MustCompile(`([\d,]+) (done|failed,|canceled|have not|were not|were refused)`)
	for _, m := range part.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		require.NoError(t, err)
		sum += n
	}
	return sum
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, number(n), fmt.Sprint(n))
	}
}
