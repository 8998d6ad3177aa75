package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A fate is a way to lose the response to a request that starts an operation.
type fate struct {
	name string
	do   func(x *request) string
}

var fates = []fate{{"handled, but the response lost", loseResponse}, {"cut after the headers", cutAfterHeaders}}

var policies = []struct {
	name   string
	policy func(*http.Request, *http.Response, error) bool
}{{"DefaultPolicy", nil}, {"IdempotentOnly", transport.IdempotentOnly}}

// kinds lists the states in which an operation can be when its request reaches the service again:
// still running, ended, or completed synchronously.
var kinds = []struct {
	name  string
	style fakes.Style
	polls int
}{
	{"still running", fakes.AzureAsyncOperation, 2},
	{"has ended", fakes.AzureAsyncOperation, -1},
	{"synchronous", fakes.Synchronous, -1},
}

const (
	perKind   = 10 // how many times each lostRun calls Begin
	lostTimes = 2  // how many responses are lost for each operation
)

// TestLostResponses loses the responses to the first two requests of each call to Begin. Begin must
// not report a success that did not happen.
func TestLostResponses(t *testing.T) {
	seed := newSeed(t)
	var text strings.Builder
	for _, fate := range fates {
		for _, p := range policies {
			for _, kind := range kinds {
				for _, verb := range []string{http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete} {
					l := lostRun{seed, fate, p.policy, kind.style, kind.polls, verb}
					endings, started := l.run(t)
					fmt.Fprintf(&text, "%-30s  %-14s  %-6s  %-13s  %2d duplicates, %s\n", fate.name, p.name, verb, kind.name, started-perKind, endings)
					l.require(t, endings, started)
				}
			}
		}
	}
	t.Log("\n" + text.String())
}

type lostRun struct {
	seed   uint64
	fate   fate
	policy func(*http.Request, *http.Response, error) bool
	style  fakes.Style
	polls  int
	verb   string
}

// run starts the operations and waits for them. endings counts the operations by outcome, and
// started is the number of operations that the service started.
func (l lostRun) run(t *testing.T) (endings string, started int) {
	t.Helper()
	w := newWorldOf(l.draw, perKind)
	f, err := newFront(w, l.seed)
	require.NoError(t, err)
	f.listener.refuses = nil
	f.faultOf = func(x *request) (func(x *request) string, bool) {
		if x.begins && x.nth <= lostTimes {
			return l.fate.do, false
		}
		return nil, true
	}
	f.serve()
	defer f.server.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	by := caller{f.url(), transport.NewClient(&transport.Options{Base: base, Policy: l.policy, MinDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond}), f.tally}
	ctx, cancel := context.WithTimeout(t.Context(), *limit)
	defer cancel()
	ended := newTally()
	for _, op := range w.operations {
		ended.count(by.once(ctx, op))
	}
	records, _ := w.records()
	for _, rec := range records {
		started += len(rec.Started)
	}
	return ended.line(), started
}

// draw returns an operation that succeeds.
func (l lostRun) draw(index int) *operation {
	r := rand.New(rand.NewPCG(l.seed, uint64(index)))
	s := shape{family: arm, style: l.style, endings: []fakes.Ending{fakes.Succeeded}}
	op := &operation{index: index, name: fmt.Sprintf("lost-%d-%04d", l.seed, index), family: arm, verb: l.verb, repeatable: true}
	op.place(r, s)
	op.exists = l.verb != http.MethodPut
	op.decide(r, s)
	op.plan.Polls, op.plan.RetryAfter = l.polls, 0
	op.repeatable = false // the service must not recognize repeated requests
	return op
}

// once makes a single call to Begin, waits for the operation, and returns a description of the
// outcome. If Begin's error has a token, once resumes the operation from that token.
func (c *caller) once(ctx context.Context, op *operation) string {
	req, err := c.request(ctx, op)
	if err != nil {
		return err.Error()
	}
	how := ""
	p, err := poller.Begin[thing](req, c.client, c.options(op))
	if again, ok := c.resumeAccepted(op, err); ok {
		p, err, how = again, nil, ", from its token"
	}
	if err != nil {
		_, code := refusalOf(err)
		switch {
		case isWait(err):
			return fmt.Sprintf("Unfollowable after a %d", code)
		case code == 0:
			return "no response"
		}
		return fmt.Sprintf("StatusError %d", code)
	}
	v, err := p.PollUntilDone(ctx)
	if o := outcomeOf(op, v, err); o != op.want {
		return fmt.Sprintf("ended in %q, not in %q", o, op.want)
	}
	return op.want.State + how
}

// require checks the outcomes of the operations, and how many operations the service started.
func (l lostRun) require(t *testing.T, endings string, started int) {
	t.Helper()
	all := fmt.Sprintf("%d ", perKind)
	idempotent := l.verb == http.MethodPut || l.verb == http.MethodDelete
	want, times := "", 1
	switch {
	case l.fate.name == fates[1].name && l.style == fakes.Synchronous && l.verb == http.MethodPost:
		want = all + "Unfollowable after a 200" // the operation succeeded, but its result was in the lost body
	case l.fate.name == fates[1].name && l.style == fakes.Synchronous && l.verb != http.MethodDelete:
		want = all + "Succeeded, from its token"
	case l.fate.name == fates[1].name:
		want = all + "Succeeded" // the headers are enough to follow an operation, and a 204 has no body to lose
	case l.policy != nil && !idempotent:
		require.NotContains(t, endings, "Succeeded", l) // the policy does not retry a POST or PATCH that may have taken effect, so Begin cannot report a success
	case l.polls > 0:
		want = all + "StatusError 409" // the first operation is still running, so the next request causes a conflict
	case l.verb == http.MethodDelete:
		want = all + "Succeeded"
	default:
		want, times = all+"Succeeded", 1+lostTimes
	}
	require.Equal(t, times*perKind, started, l)
	require.True(t, want == "" || want == endings, endings)
}
