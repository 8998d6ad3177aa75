package lrotel_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

// A wait in a later process starts a new trace, linked to the span of the request that started the
// operation.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 24 * time.Hour, RetryAfter: 10 * time.Minute}}
		first := newRig(t, svc)
		op := first.begin(t.Context(), "w1", nil)
		short, cancel := context.WithTimeout(t.Context(), 65*time.Minute)
		defer cancel()
		_, err := op.PollUntilDone(short)
		require.Error(t, err)
		token, err := op.ResumeToken()
		require.NoError(t, err)
		parent := op.Traceparent()

		second := newRig(t, svc)
		again, err := lrotel.Resume[Widget](second.tel, "create widget", token, second.client, &poller.Options{Origins: []string{origin}})
		require.NoError(t, err)
		again.LinkTo(parent)
		_, err = again.PollUntilDone(t.Context())
		require.NoError(t, err)

		beginSpan, wait := first.named("lro.begin")[0].SpanContext, second.named("lro.wait")[0]
		require.NotEqual(t, beginSpan.TraceID(), wait.SpanContext.TraceID())
		require.Len(t, wait.Links, 1)
		require.Equal(t, []any{beginSpan.TraceID(), beginSpan.SpanID()}, []any{wait.Links[0].SpanContext.TraceID(), wait.Links[0].SpanContext.SpanID()})
		require.Equal(t, 23*time.Hour, wait.EndTime.Sub(wait.StartTime))

		require.Equal(t, parent, again.Traceparent(), "a third process must get the same traceparent")
	})
}

// LinkTo ignores an invalid traceparent. The wait's span then has no link.
func TestForgedTraceparent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		token, err := r.begin(t.Context(), "w1", nil).ResumeToken()
		require.NoError(t, err)
		for _, forged := range []string{"", "x", "00-00000000000000000000000000000000-0000000000000000-01", strings.Repeat("f", 1<<20)} {
			r.spans.Reset()
			op, err := lrotel.Resume[Widget](r.tel, "create widget", token, r.client, &poller.Options{Origins: []string{origin}})
			require.NoError(t, err)
			op.LinkTo(forged)
			_, err = op.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Empty(t, r.named("lro.wait")[0].Links)
		}
		_, err = lrotel.Resume[Widget](r.tel, "create widget", "x", r.client, nil)
		require.Error(t, err)
	})
}

// In a group, each read's span is a child of its operation's wait. The group's metrics show its
// Stats.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Path: "/widgets/slow", Duration: time.Hour})
		r := newRig(t, svc)
		group := poller.NewGroup[*lrotel.Operation[Widget]](&poller.GroupOptions{Spread: -1})
		gauges, err := r.tel.Group("widgets", group)
		require.NoError(t, err)
		for _, name := range []string{"quick", "slow"} {
			op := r.begin(t.Context(), name, nil)
			op.Start(t.Context())
			group.Add(op)
			time.Sleep(30 * time.Second) // staggers the two operations, so that their reads do not overlap
		}
		group.Close()
		waiting := []float64{r.series()["lro.group.waiting{lro.group=widgets}"]}
		for op, err := range group.Wait(t.Context()) {
			require.NoError(t, err)
			op.End(err)
			now := r.series()
			waiting = append(waiting, now["lro.group.waiting{lro.group=widgets}"])
			require.Zero(t, now["lro.group.lag{lro.group=widgets}"], "the lag must be zero while no read is due")
		}
		require.Equal(t, []float64{2, 1, 0}, waiting)
		require.Contains(t, r.series(), "lro.group.reading{lro.group=widgets}")
		require.Contains(t, r.series(), "lro.group.lag{lro.group=widgets}")
		require.NoError(t, gauges.Unregister())

		reads := map[trace.SpanID]int{}
		for _, name := range []string{"lro.poll", "lro.result"} {
			for _, s := range r.named(name) {
				reads[s.Parent.SpanID()]++
			}
		}
		waits := r.named("lro.wait")
		require.Len(t, waits, 2)
		require.Equal(t, 3*time.Minute, waits[0].EndTime.Sub(waits[0].StartTime))
		require.Equal(t, time.Hour, waits[1].EndTime.Sub(waits[1].StartTime))
		require.Equal(t, map[trace.SpanID]int{waits[0].SpanContext.SpanID(): 4, waits[1].SpanContext.SpanID(): 61}, reads)
	})
}

// If a caller such as a reconciler polls without Start, each poll's span is a child of the caller's
// span.
func TestPollWithoutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		op := r.begin(t.Context(), "w1", nil)
		ctx, span := r.tracers.Tracer("test").Start(t.Context(), "reconcile")
		_, err := op.Poll(ctx)
		require.NoError(t, err)
		span.End()
		polls := r.named("lro.poll")
		require.Len(t, polls, 1)
		require.Equal(t, span.SpanContext().SpanID(), polls[0].Parent.SpanID())
		op.End(nil)
		require.Empty(t, r.named("lro.wait"))
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}})
		var op *lrotel.Operation[Widget]
		op = r.begin(t.Context(), "w1", &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: op.URL()}, nil
		}})
		ctx := op.Start(t.Context())
		require.NoError(t, op.Cancel(ctx))
		_, err := op.PollUntilDone(ctx)
		require.Error(t, err)

		wait, cancel := r.named("lro.wait"), r.named("lro.cancel")
		require.Len(t, wait, 1, "PollUntilDone must continue the wait that Start began")
		require.Len(t, cancel, 1)
		require.Equal(t, wait[0].SpanContext.SpanID(), cancel[0].Parent.SpanID())
		require.Len(t, r.named("DELETE"), 1)
		require.Equal(t, cancel[0].SpanContext.SpanID(), r.named("DELETE")[0].Parent.SpanID())
		require.Len(t, r.named("lro.poll"), 1, "the request to cancel must not count as a poll")
	})
}

// The caller's handler gets package poller's records unchanged, with the poll's span in the
// context.
func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		var quiet bytes.Buffer
		_, err := r.begin(t.Context(), "w1", &poller.Options{Logger: slog.New(slog.NewTextHandler(&quiet, nil))}).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Empty(t, quiet.String(), "a handler for another level must receive nothing, because the records have the level Debug")

		var all bytes.Buffer
		h := &traced{slog.NewTextHandler(&all, &slog.HandlerOptions{Level: slog.LevelDebug}), nil}
		r.spans.Reset()
		_, err = r.begin(t.Context(), "w2", &poller.Options{Logger: slog.New(h)}).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(all.String(), `msg="lro: poll"`))
		require.Equal(t, 1, strings.Count(all.String(), `msg="lro: result"`))
		var polls []trace.SpanID
		for _, s := range append(r.named("lro.poll"), r.named("lro.result")...) {
			polls = append(polls, s.SpanContext.SpanID())
		}
		require.Equal(t, polls, h.spans)
	})
}

// A traced handler collects the span IDs from the contexts of the records.
type traced struct {
	slog.Handler
	spans []trace.SpanID
}

func (h *traced) Handle(ctx context.Context, r slog.Record) error {
	h.spans = append(h.spans, trace.SpanContextFromContext(ctx).SpanID())
	return h.Handler.Handle(ctx, r)
}

// Even if many goroutines use one operation, each read is counted once and has an exported span.
func TestConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: 20}}
		r := newRig(t, svc)
		op := r.begin(t.Context(), "w1", nil)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, err := op.PollUntilDone(t.Context())
				assert.NoError(t, err)
			})
			all.Go(func() {
				for !op.Done() {
					_, err := op.Poll(t.Context())
					assert.NoError(t, err)
					time.Sleep(7 * time.Second)
				}
			})
		}
		all.Wait()
		reads := len(r.named("lro.poll")) + len(r.named("lro.result"))
		require.Equal(t, len(svc.Requests())-1, reads)
		require.InDelta(t, reads, r.series()["lro.poll.duration.count{lro.operation=create widget}"], 0)
		for _, line := range r.tree() {
			if strings.Contains(line, " GET ") {
				require.Regexp(t, "^ ", line, "the span of each request must be below the span of an exported poll")
			}
		}
	})
}

// A panic in a read reaches the loop over Group.Wait. End then ends that read's span as well.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigOver(t, &panicking{next: &fakes.Transport{Handler: &fakes.Service{}}})
		var group poller.Group[*lrotel.Operation[Widget]]
		op := r.begin(t.Context(), "w1", nil)
		op.Start(t.Context())
		group.Add(op)
		group.Close()
		require.PanicsWithValue(t, "out of order", func() { _ = maps.Collect(group.Wait(t.Context())) })
		op.End(errors.New("a read has panicked"))
		require.Len(t, r.named("lro.poll"), 1)
		require.Len(t, r.named("lro.wait"), 1)
	})
}

type panicking struct {
	next  http.RoundTripper
	calls int
}

func (p *panicking) RoundTrip(req *http.Request) (*http.Response, error) {
	if p.calls++; p.calls > 1 {
		panic("out of order")
	}
	return p.next.RoundTrip(req)
}

// Without an SDK, operations work as usual, but nothing records their spans.
func TestNoSDK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := lrotel.NewTelemetry(nil)
		r := &rig{t: t, tel: tel, client: tel.Client(&transport.Options{Base: &fakes.Transport{Handler: &fakes.Service{}}})}
		op := r.begin(t.Context(), "w1", nil)
		w, err := op.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "w1", w.Name)
		require.Empty(t, op.Traceparent())
	})
}
