package poller_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// spanned is a log handler that adds a value from the context to each record, as a tracer would.
type spanned struct{ slog.Handler }

type spanKey struct{}

func (h spanned) Handle(ctx context.Context, r slog.Record) error {
	span, _ := ctx.Value(spanKey{}).(string)
	r.AddAttrs(slog.String("span", span))
	return h.Handler.Handle(ctx, r)
}

// The poller logs what the documentation of Options.Logger says, and passes the context of the call
// to the handler.
func TestLog(t *testing.T) {
	const head, at = "level=DEBUG msg=", "url=" + origin + monitor
	for _, tt := range []struct {
		name    string
		replies map[string][]reply
		want    []string // without the value from the context
	}{
		{
			"a whole wait",
			map[string][]reply{
				"PUT " + resource: {accepted},
				get(monitor):      {"200 {\"status\":\"Creating\"}\nRetry-After: 20", "drop", "503\nRetry-After: 30", `200 {"status":"Succeeded"}`},
				get(resource):     {"404", "200 {}"},
			},
			[]string{
				`time=00:01:00 ` + head + `"lro: poll" ` + at + ` state=InProgress word=Creating status=200 next=00:01:20`,
				`time=00:01:20 ` + head + `"lro: poll" ` + at + ` state=InProgress word=Creating status=200 next=00:01:30 error="lro: GET ` + origin + monitor + `: fakes: connection reset by the service: EOF" failures=1`,
				`time=00:01:30 ` + head + `"lro: poll" ` + at + ` state=InProgress word=Creating status=200 next=00:02:00 error="lro: GET ` + origin + monitor + `: 503 Service Unavailable: no error body" failures=1`,
				`time=00:02:00 ` + head + `"lro: poll" ` + at + ` state=Succeeded word=Succeeded status=200 next=00:02:00`,
				`time=00:02:00 ` + head + `"lro: result" url=` + origin + resource + ` error="lro: GET ` + origin + resource + `: 404 Not Found: no error body"`,
				`time=00:02:10 ` + head + `"lro: result" url=` + origin + resource,
			},
		},
		{
			"a result in hand",
			map[string][]reply{
				"PUT " + resource:   {"202\nLocation: " + monitor},
				get(monitor):        {"202\nLocation: " + monitor + "/2"},
				get(monitor + "/2"): {"200 {}"},
			},
			[]string{
				`time=00:01:00 ` + head + `"lro: poll" ` + at + `/2 state=InProgress word="" status=202 next=00:02:00`,
				`time=00:02:00 ` + head + `"lro: poll" ` + at + `/2 state=Succeeded word="" status=200 next=00:02:00`,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				h := spanned{slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clockTime})}
				p := begin(t, serve(tt.replies), "PUT", &poller.Options{Logger: slog.New(h)})
				_, err := p.PollUntilDone(context.WithValue(t.Context(), spanKey{}, "s1"))
				require.NoError(t, err)
				var got []string
				for line := range strings.Lines(log.String()) {
					line, found := strings.CutSuffix(line, " span=s1\n")
					require.True(t, found, "a record must have the context of the call: %s", line)
					got = append(got, line)
				}
				require.Equal(t, tt.want, got)
			})
		})
	}
}

// A read interrupted by the context is not logged, because it says nothing about the operation.
func TestInterruptedReadsAreNotLogged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Hang()})
		var log bytes.Buffer
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), fakes.Client(svc), &poller.Options{
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, svc.Requests(), 3)
		require.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", &log)
	})
}

// clockTime shortens the time of a log record to the time of day.
func clockTime(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindTime {
		a.Value = slog.StringValue(a.Value.Time().UTC().Format(time.TimeOnly))
	}
	return a
}
