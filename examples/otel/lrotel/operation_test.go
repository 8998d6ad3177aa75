package lrotel_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/lro-go/lro/examples/otel/lrotel"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The wait of a later process is a trace of its own, with a link to the one in which
// the operation began.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: 24 * time.Hour, RetryAfter: 10 * time.Minute}}
		first := newRig(t, svc)
		op := first.begin(t.Context(), "w1", nil)
		short, cancel := context.WithTimeout(t.Context(), 65*time.Minute)
		defer cancel()
		_, err := op.PollUntilDone(short)
		require.Error(t, err)
		kept, err := op.Keep()
		require.NoError(t, err)
		stored, err := json.Marshal(kept)
		require.NoError(t, err)

		second := newRig(t, svc)
		require.NoError(t, json.Unmarshal(stored, &kept))
		again, err := lrotel.Resume[widget](second.tel, "create widget", kept, second.client, &poller.Options{Origins: []string{origin}})
		require.NoError(t, err)
		_, err = again.PollUntilDone(t.Context())
		require.NoError(t, err)

		begun, wait := first.named("lro.begin")[0].SpanContext, second.named("lro.wait")[0]
		require.NotEqual(t, begun.TraceID(), wait.SpanContext.TraceID())
		require.Len(t, wait.Links, 1)
		require.Equal(t, []any{begun.TraceID(), begun.SpanID()}, []any{wait.Links[0].SpanContext.TraceID(), wait.Links[0].SpanContext.SpanID()})
		require.Equal(t, 23*time.Hour, wait.EndTime.Sub(wait.StartTime))

		third, err := again.Keep()
		require.NoError(t, err)
		require.Equal(t, kept.Traceparent, third.Traceparent, "the beginning stays the beginning")
	})
}

// What comes from a store may be anything; at worst there is no link.
func TestResumeOfAForgedTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		kept, err := r.begin(t.Context(), "w1", nil).Keep()
		require.NoError(t, err)
		for _, forged := range []string{"", "x", "00-00000000000000000000000000000000-0000000000000000-01", strings.Repeat("f", 1<<20)} {
			r.spans.Reset()
			kept.Traceparent = forged
			op, err := lrotel.Resume[widget](r.tel, "create widget", kept, r.client, &poller.Options{Origins: []string{origin}})
			require.NoError(t, err)
			_, err = op.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Empty(t, r.named("lro.wait")[0].Links)
		}
		_, err = lrotel.Resume[widget](r.tel, "create widget", lrotel.Kept{Token: "x"}, r.client, nil)
		require.Error(t, err)
	})
}

// In a group all reads have the context of the group, and are told apart all the
// same. The gauges are those of its Stats.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Plan(fakes.Plan{Path: "/widgets/slow", Duration: time.Hour})
		r := newRig(t, svc)
		group := poller.NewGroup[*lrotel.Operation[widget]](&poller.GroupOptions{Spread: -1})
		gauges, err := r.tel.Group("widgets", group)
		require.NoError(t, err)
		for _, name := range []string{"quick", "slow"} {
			op := r.begin(t.Context(), name, nil)
			op.Start(t.Context())
			group.Add(op)
			time.Sleep(30 * time.Second) // so that no two reads are under way at once
		}
		group.Close()
		waiting := []float64{r.series()["lro.group.waiting{lro.group=widgets}"]}
		for op, err := range group.Wait(t.Context()) {
			require.NoError(t, err)
			op.End(err)
			now := r.series()
			waiting = append(waiting, now["lro.group.waiting{lro.group=widgets}"])
			require.Zero(t, now["lro.group.lag{lro.group=widgets}"], "no read is due")
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

// Who polls from a loop of his own, such as a reconciler, has a span of his own.
func TestPollWithoutAWait(t *testing.T) {
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
		var op *lrotel.Operation[widget]
		op = r.begin(t.Context(), "w1", &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: op.URL()}, nil
		}})
		ctx := op.Start(t.Context())
		require.NoError(t, op.Cancel(ctx))
		_, err := op.PollUntilDone(ctx)
		require.Error(t, err)

		wait, cancel := r.named("lro.wait"), r.named("lro.cancel")
		require.Len(t, wait, 1, "PollUntilDone goes on with the one that was begun")
		require.Len(t, cancel, 1)
		require.Equal(t, wait[0].SpanContext.SpanID(), cancel[0].Parent.SpanID())
		require.Len(t, r.named("HTTP DELETE"), 1)
		require.Equal(t, cancel[0].SpanContext.SpanID(), r.named("HTTP DELETE")[0].Parent.SpanID())
		require.Len(t, r.named("lro.poll"), 1, "the request to cancel is none")
	})
}

// A handler of the caller's is told what it was told before, in the span of the poll.
func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakes.Service{})
		var quiet bytes.Buffer
		_, err := r.begin(t.Context(), "w1", &poller.Options{Logger: slog.New(slog.NewTextHandler(&quiet, nil))}).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Empty(t, quiet.String(), "the level is Debug")

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

// traced notes the spans in which it is told something.
type traced struct {
	slog.Handler
	spans []trace.SpanID
}

func (h *traced) Handle(ctx context.Context, r slog.Record) error {
	h.spans = append(h.spans, trace.SpanContextFromContext(ctx).SpanID())
	return h.Handler.Handle(ctx, r)
}

// Many use one operation at a time: nothing is counted twice, and all spans end.
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
		require.InDelta(t, reads, r.series()["lro.polls{lro.operation=create widget}"], 0)
		for _, line := range r.tree() {
			if strings.Contains(line, "HTTP") {
				require.Regexp(t, "^ ", line, "its poll has been exported too")
			}
		}
	})
}

// A panic in a read surfaces where the group is ranged over. End ends the span of that
// read, too.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigOver(t, &panicking{next: &fakes.Transport{Handler: &fakes.Service{}}})
		var group poller.Group[*lrotel.Operation[widget]]
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

// A program that has no SDK has no spans, and is none the worse for it.
func TestNoSDK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, err := lrotel.New(tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider())
		require.NoError(t, err)
		r := &rig{t: t, tel: tel, client: tel.Client(&transport.Options{Base: &fakes.Transport{Handler: &fakes.Service{}}})}
		op := r.begin(t.Context(), "w1", nil)
		w, err := op.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "w1", w.Name)
		kept, err := op.Keep()
		require.NoError(t, err)
		require.Empty(t, kept.Traceparent)
	})
}
