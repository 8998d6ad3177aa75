package poller_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A quirkCase says how an operation ends if the service has a quirk. The first quirkEnding applies
// with default options. The second one applies if the program handles the quirk, either with an
// option or by calling Begin in a loop.
type quirkCase struct {
	quirk  quirks.Quirk
	method string // "" means PUT
	path   string // "" means /widgets/w1
	there  bool   // whether the resource already exists
	plan   fakes.Plan
	within time.Duration // the time limit for the wait; 0 means a year
	before bool          // whether another client sends a PUT just before the operation starts
	after  bool          // whether another client sends a PUT just after the operation has started

	want   quirkEnding
	option string // the remedy, worded as in docs/quirks.md
	opts   *poller.Options
	retry  func(error) bool // reports whether to start the operation again after an error; nil means never
	with   quirkEnding
}

// A quirkEnding describes how and when an operation ended, and after how many requests.
type quirkEnding struct {
	text     string
	elapsed  time.Duration
	requests int
}

// made describes the result of quirkRequest's PUT. bare describes the same result without a
// provisioningState.
const (
	made = `result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":1},"type":"widgets"}`
	bare = `result {"id":"/widgets/w1","name":"w1","properties":{"size":1},"type":"widgets"}`
)

func testQuirks(t *testing.T, cases []quirkCase) {
	for _, c := range cases {
		plain := c
		plain.retry = nil
		t.Run(string(c.quirk), func(t *testing.T) {
			require.Equal(t, c.want, plain.run(t, poller.Options{}, (*stage).pollUntilDone))
			plain.requireSameResumed(t, c.want, poller.Options{})
		})
		if c.option == "" {
			continue
		}
		t.Run(string(c.quirk)+" with "+c.option, func(t *testing.T) {
			var opts poller.Options
			if c.opts != nil {
				opts = *c.opts
			}
			require.Equal(t, c.with, c.run(t, opts, (*stage).pollUntilDone))
			c.requireSameResumed(t, c.with, opts)
		})
	}
}

// requireSameResumed runs the operation again, resumes it from its token before every read, and
// requires the same ending at the same time. The counts of polls and requests may differ.
func (c quirkCase) requireSameResumed(t *testing.T, want quirkEnding, opts poller.Options) {
	if strings.Contains(want.text, string(lroerrors.ReasonDeadline)) {
		return // unlike PollUntilDone, resumeAndPoll does not make an early last read before the deadline
	}
	got := c.run(t, opts, (*stage).resumeAndPoll)
	require.Equal(t, withoutCount(want.text), withoutCount(got.text))
	require.Equal(t, want.elapsed, got.elapsed)
}

func withoutCount(text string) string {
	return regexp.MustCompile(` after \d+ polls`).ReplaceAllString(text, "")
}

// run starts the operation, waits for it to end, and returns how it ended. It starts over after
// each error for which c.retry returns true.
func (c quirkCase) run(t *testing.T, opts poller.Options, wait way) (got quirkEnding) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{Default: c.plan}
		svc.Quirk(c.quirk, resource)
		method := cmp.Or(c.method, "PUT")
		if c.there || method != "PUT" {
			svc.Put(resource, map[string]any{"properties": map[string]int{"size": 0}})
		}
		client := fakes.Client(svc)
		ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(c.within, 365*24*time.Hour))
		defer cancel()
		if c.before {
			sendAnother(t, svc)
		}
		start := time.Now()
		v, err := startAgain(c.retry, 30*time.Second, func() (raw, error) {
			p, err := poller.Begin[raw](quirkRequest(t, method, c.path), client, &opts)
			if c.after {
				sendAnother(t, svc)
			}
			return wait(&stage{ctx: ctx, client: fakes.Client(svc), opts: opts}, p, err)
		})
		got = quirkEnding{describeEnding(v, err), time.Since(start), len(svc.Requests())}
	})
	return got
}

// startAgain calls attempt until it succeeds or retry returns false for its error. If retry is nil,
// startAgain calls attempt once.
func startAgain(retry func(error) bool, pause time.Duration, attempt func() (raw, error)) (raw, error) {
	for {
		v, err := attempt()
		if err == nil || retry == nil || !retry(err) {
			return v, err
		}
		time.Sleep(pause)
	}
}

func quirkRequest(t *testing.T, method, path string) *http.Request {
	t.Helper()
	body := ""
	if method == http.MethodPut {
		body = `{"properties":{"size":1}}`
	}
	req, err := http.NewRequestWithContext(t.Context(), method, origin+cmp.Or(path, resource)+"?api-version=1", strings.NewReader(body))
	require.NoError(t, err)
	return req
}

// sendAnother sends a PUT to the resource, as another client would.
func sendAnother(t *testing.T, svc *fakes.Service) {
	resp, err := fakes.Client(svc).Do(quirkRequest(t, http.MethodPut, ""))
	require.NoError(t, err)
	require.Less(t, resp.StatusCode, 300)
	require.NoError(t, resp.Body.Close())
}

// at returns a Check.State function that reports success once the document has the given value at
// the JSON pointer.
func at(pointer, value string) func(strategy.Answer) poller.State {
	return func(a strategy.Answer) poller.State {
		if raw, _ := a.Lookup(pointer); string(raw) == value {
			return poller.Succeeded
		}
		return poller.InProgress
	}
}

// gone is a Check.State function that reports success once a read returns 404.
func gone(a strategy.Answer) poller.State {
	if a.Code == http.StatusNotFound {
		return poller.Succeeded
	}
	return poller.InProgress
}

// kept is a Check.State function that reports a failure if the resource lacks the value that the
// update set.
func kept(a strategy.Answer) poller.State {
	if raw, _ := a.Lookup("/properties/size"); string(raw) != "1" {
		return poller.Failed
	}
	return poller.Succeeded
}

// failedInternally, for quirkCase.retry, reports whether an operation failed with an internal
// error.
func failedInternally(err error) bool {
	op, ok := errors.AsType[*lroerrors.OperationError](err)
	return ok && op.Detail != nil && op.Detail.Code == "InternalServerError"
}
