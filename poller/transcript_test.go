package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// TestTranscripts runs every conversation in testdata with PollUntilDone, and compares the
// requests, the outcome and their times with the conversation.
func TestTranscripts(t *testing.T) {
	eachConversation(t, func(t *testing.T, c *conversation) {
		require.NoError(t, c.judge(c.run(t, (*stage).pollUntilDone)))
	})
}

// The ending is the same if another process resumes the operation before every poll and before
// every attempt to read the result.
func TestTranscriptsResumeBeforeEveryPoll(t *testing.T) {
	eachConversation(t, func(t *testing.T, c *conversation) {
		if c.deadline > 0 {
			t.Skip("Poll does not end at a deadline")
		}
		c.requireSameEnding(t, (*stage).resumeAndPoll)
	})
}

// The ending is the same if the context ends in every pause and a new poller resumes the operation
// from the token in the error.
func TestTranscriptsInterruptAfterEveryResponse(t *testing.T) {
	eachConversation(t, func(t *testing.T, c *conversation) {
		c.requireSameEnding(t, (*stage).interruptAndResume)
	})
}

// requireSameEnding runs the conversation twice, with PollUntilDone and with another way to wait.
// It fails the test unless the requests and the ending are the same. It ignores the number of polls
// and the elapsed time in an error.
func (c *conversation) requireSameEnding(t *testing.T, other way) {
	t.Helper()
	if c.resumed != "" {
		t.Skip(c.resumed)
	}
	want, got := c.run(t, (*stage).pollUntilDone), c.run(t, other)
	require.Equal(t, lines(want.asked), lines(got.asked))
	require.Equal(t, want.requests, got.requests)
	require.Equal(t, withoutPolls(want.err), withoutPolls(got.err))
	require.Equal(t, string(want.result), string(got.result))
	require.Equal(t, want.elapsed, got.elapsed)
	require.NoError(t, got.fault)
	require.Zero(t, got.left)
}

// With Updates, the ending is the same as with PollUntilDone.
func TestTranscriptsWithUpdates(t *testing.T) {
	eachConversation(t, func(t *testing.T, c *conversation) {
		require.NoError(t, c.judge(c.run(t, (*stage).rangeUpdates)))
	})
}

// withoutPolls returns an error's text without the number of polls and the elapsed time, which
// start at zero in each new poller.
func withoutPolls(err error) string {
	if wait, ok := err.(*lroerrors.WaitError); ok { //nolint:errorlint // only the outermost error matters
		copied := *wait
		copied.Polls, copied.Elapsed = 0, 0
		err = &copied
	}
	return fmt.Sprint(err)
}

func eachConversation(t *testing.T, f func(*testing.T, *conversation)) {
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, file := range files {
		if file.IsDir() {
			continue // a directory with fuzz corpora or tokens
		}
		name, ok := strings.CutSuffix(file.Name(), ".http")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, ok, "testdata/%s is not a conversation", file.Name())
			text, err := os.ReadFile(filepath.Join("testdata", file.Name()))
			require.NoError(t, err)
			c, err := parseConversation(text)
			require.NoError(t, err)
			f(t, c)
		})
	}
}

// An ending describes how a conversation ended.
type ending struct {
	result   json.RawMessage
	err      error
	elapsed  time.Duration
	asked    []asked
	requests []fakes.Request
	fault    error // the first unexpected request
	left     int   // the number of expected requests that were not sent
	resumed  int   // how many times the operation was resumed
}

// judge returns an error unless e is the expected ending.
func (c *conversation) judge(e ending) error {
	errs := []error{e.fault}
	if e.left > 0 {
		errs = append(errs, fmt.Errorf("%d requests did not come", e.left))
	}
	if !slices.Equal(c.asked, e.asked) {
		errs = append(errs, fmt.Errorf("asked%s\nwant%s", lines(e.asked), lines(c.asked)))
	}
	if got := describeEnding(e.result, e.err); got != c.expect {
		errs = append(errs, fmt.Errorf("ended in\n\t%s, want\n\t%s", got, c.expect))
	}
	if e.elapsed != c.elapsed {
		errs = append(errs, fmt.Errorf("ended after %s, want %s", e.elapsed, c.elapsed))
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](e.err); ok && wait.Elapsed != c.elapsed {
		errs = append(errs, fmt.Errorf("the error reports %s, want %s", wait.Elapsed, c.elapsed))
	}
	return errors.Join(errs...)
}

func lines(list []asked) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "\n\t%s", a)
	}
	return b.String()
}

// run runs the conversation in simulated time. It passes the results of Begin to the function wait.
func (c *conversation) run(t *testing.T, wait way) (e ending) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		transcript, err := fakes.ReadTranscript(c.reader())
		require.NoError(t, err)
		req, err := c.firstRequest()
		require.NoError(t, err)
		start := time.Now()
		ctx := t.Context()
		if c.deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.deadline)
			defer cancel()
		}
		s := &stage{ctx: ctx, client: fakes.Client(transcript), opts: c.opts}
		p, err := poller.Begin[json.RawMessage](req, s.client, &s.opts)
		e.result, e.err = wait(s, p, err)
		e.elapsed = time.Since(start)
		e.resumed = s.resumed
		e.fault, e.left, e.requests = transcript.Err(), transcript.Remaining(), transcript.Requests()
		for _, r := range e.requests {
			e.asked = append(e.asked, asked{r.Time.Sub(start), r.Method + " " + r.URL})
		}
	})
	return e
}
