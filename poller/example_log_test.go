package poller_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// The log of this operation has a record for each of its four reads: one reports progress, one
// fails, one reports the end, and one returns the result.
func ExampleOptions_logger() {
	svc := &fakes.Service{Default: fakes.Plan{Polls: 1}} // in place of a real service
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Drop()})

	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug, // the poller logs every read at this level
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Value.Kind() == slog.KindTime || a.Key == slog.LevelKey {
				return slog.Attr{} // omits the level, and the time, which differs from run to run
			}
			return a
		},
	}))
	ctx := context.Background()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1?sig=secret", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[struct{ Name string }](req, fakes.Client(svc), &poller.Options{
		Logger:  logger,
		Cadence: poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}, // short pauses, because the service is in this process
	})
	if err != nil {
		log.Fatal(err)
	}
	widget, err := p.PollUntilDone(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(widget.Name)
	// Output:
	// msg="lro: poll" url=https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001 state=InProgress word=Accepted status=200
	// msg="lro: poll" url=https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001 state=InProgress word=Accepted status=200 error="lro: GET https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001: fakes: connection reset by the service: EOF" failures=1
	// msg="lro: poll" url=https://a.test/operationsStatuses/00000000-0000-4000-8000-000000000001 state=Succeeded word=Succeeded status=200
	// msg="lro: result" url=https://a.test/widgets/w1
	// w1
}
