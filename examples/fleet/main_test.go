package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be the second process, as the program is: run
// starts what it is itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveCommand {
		if err := command(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func small(t *testing.T, args ...string) config {
	t.Helper()
	cfg, err := parse(append([]string{"-n=200", "-pause=50ms", "-fail=0.1", "-cancel=0.05", "-faults=0.05"}, args...), os.Stderr)
	require.NoError(t, err)
	return cfg
}

func TestRun(t *testing.T) {
	start := time.Now()
	var out bytes.Buffer
	cfg := small(t)
	require.NoError(t, run(t.Context(), cfg, &out))
	require.Less(t, time.Since(start), 10*time.Second)

	want := map[string]int{}
	for _, e := range cfg.endings() {
		want[string(e)]++
	}
	require.Contains(t, out.String(), fmt.Sprintf(": %d done, %d failed, %d canceled.\n", want["Succeeded"], want["Failed"], want["Canceled"]))
	require.NotContains(t, out.String(), "resumed")
	require.NotContains(t, out.String(), "not begun")
	require.NotContains(t, out.String(), "refused")
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &watcher{until: "waiting", then: cancel} // the first line
	require.NoError(t, run(ctx, small(t, "-polls=1000"), out))
	require.Contains(t, out.String(), ": 0 done, 0 failed, 0 canceled.\n")
	require.Contains(t, out.String(), " can be resumed: each has a token. This program stores none.\n")
	require.NotContains(t, out.String(), "cannot")
	_, text, _ := strings.Cut(out.String(), "\n\n")
	require.Equal(t, 200, sum(t, text), text)
}

func TestRunOfAServiceThatEnds(t *testing.T) {
	cfg := small(t)
	svc, err := startService(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, svc.alive.Err())
	svc.stop()
	require.ErrorIs(t, svc.alive.Err(), context.Canceled)
}

// A watcher does something when it has seen a text.
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

func TestShowOfABrokenPipe(t *testing.T) {
	broken := errors.New("broken pipe")
	err := run(t.Context(), small(t, "-polls=1000"), failing{broken})
	require.ErrorIs(t, err, broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestParse(t *testing.T) {
	cfg, err := parse(nil, os.Stderr)
	require.NoError(t, err)
	require.Equal(t, config{
		n: 10_000, polls: 5, inflight: 64, pause: 3 * time.Second, faults: 0.02, fail: 0.01, cancel: 0.005, seed: 1,
	}, cfg)

	told, err := parse(config{n: 7, polls: 3, pause: time.Second, faults: 0.5, throttle: true, seed: 9}.args(), os.Stderr)
	require.NoError(t, err)
	require.Equal(t, []any{3, time.Second, 0.5, true, uint64(9)}, []any{told.polls, told.pause, told.faults, told.throttle, told.seed})

	for _, wrong := range []string{"-n=0", "-polls=0", "-inflight=0", "-pause=0", "-faults=1", "-faults=-0.1", "-fail=2", "-cancel=NaN", "-x", "x"} {
		var out bytes.Buffer
		_, err := parse([]string{wrong}, &out)
		require.Error(t, err, wrong)
	}
}

func TestEndings(t *testing.T) {
	cfg := config{n: 10_000, fail: 0.01, cancel: 0.005, seed: 1}
	count := map[string]int{}
	for _, e := range cfg.endings() {
		count[string(e)]++
	}
	require.InDelta(t, 100, count["Failed"], 30)
	require.InDelta(t, 50, count["Canceled"], 21)
	require.Equal(t, cfg.n, count["Succeeded"]+count["Failed"]+count["Canceled"])
	require.Equal(t, cfg.endings(), cfg.endings())
}

// The parts of a summary add up.
func TestSummary(t *testing.T) {
	s := stats{
		N: 1234, counts: counts{Begun: 1220, Refused: 4, Done: 1100, Failed: 30, Canceled: 20, Resumable: 69, Lost: 1},
		Elapsed: 83 * time.Second,
	}
	text := summary(s)
	require.Contains(t, text, "1,234 operations in 01:23.0: 1,100 done, 30 failed, 20 canceled.\n69 have not ended")
	require.Equal(t, s.N, sum(t, text), text)
}

// sum adds up the operations that a summary tells of.
func sum(t *testing.T, text string) (sum int) {
	t.Helper()
	part := regexp.MustCompile(`([\d,]+) (done|failed|canceled|have not|were not|were refused)`)
	for _, m := range part.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		require.NoError(t, err)
		sum += n
	}
	return sum
}
