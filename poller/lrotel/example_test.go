package lrotel_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotel"
	"github.com/lro-go/lro/transport"
)

// A printer is an exporter that prints this package's spans as they end.
type printer struct{}

func (printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		fmt.Print(s.Name())
		for _, a := range s.Attributes() {
			switch a.Key {
			case lrotel.OperationKey, lrotel.OutcomeKey, lrotel.StateKey, lrotel.PollsKey:
				fmt.Printf(" %s=%v", a.Key, a.Value.AsInterface())
			}
		}
		fmt.Println()
	}
	return nil
}

func (printer) Shutdown(context.Context) error { return nil }

// telemetry sets up the OpenTelemetry SDK for one example. A real program usually sets the global
// providers.
func telemetry() *lrotel.Telemetry {
	return lrotel.NewTelemetry(&lrotel.Options{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(printer{}))})
}

// fast has short pauses, so that the examples finish quickly. With a real service, leave several
// seconds between reads. The default is a minute.
var fast = poller.Cadence{Default: time.Millisecond, Min: time.Millisecond, Max: time.Millisecond}

func begin(tel *lrotel.Telemetry, client *http.Client, path string) (*lrotel.Operation[Widget], error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test"+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	return lrotel.Begin[Widget](tel, "create widget", req, client, &poller.Options{Cadence: fast})
}

// firstUse is the code in the package documentation and in README.md.
func firstUse(ctx context.Context, req *http.Request, use func(Widget)) error {
	tel := lrotel.NewTelemetry(nil) // the global providers
	client := tel.Client(nil)       // transport.NewClient, with a span for each request

	op, err := lrotel.Begin[Widget](tel, "create widget", req, client, nil)
	if err != nil {
		return err
	}
	widget, err := op.PollUntilDone(ctx)
	use(widget)
	return err
}

// The client creates a span for each request. Begin and the returned Operation create the other
// spans.
func ExampleBegin() {
	tel := telemetry() // usually lrotel.NewTelemetry(nil)
	client := tel.Client(&transport.Options{
		Base: &fakes.Transport{Handler: &fakes.Service{Default: fakes.Plan{Polls: 1}}}, // in memory; omit Base in production
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	op, err := lrotel.Begin[Widget](tel, "create widget", req, client, &poller.Options{Cadence: fast})
	if err != nil {
		log.Fatal(err)
	}
	w, err := op.PollUntilDone(context.Background())
	fmt.Println(w.Name, err)
	// Output:
	// PUT
	// lro.begin lro.operation=create widget
	// GET
	// lro.poll lro.operation=create widget lro.state=InProgress
	// GET
	// lro.poll lro.operation=create widget lro.state=Succeeded
	// GET
	// lro.result lro.operation=create widget
	// lro.wait lro.operation=create widget lro.outcome=succeeded lro.state=Succeeded lro.polls=3
	// w1 <nil>
}

// A Watch reads a value with a typed client. If the getter sends its requests with the context it
// receives, their spans are children of the poll's span.
func ExampleWatch() {
	sizes := []int{1, 2, 3} // the node pool's size at each read, as a typed client would return it
	get := func(context.Context) (int, error) {
		size := sizes[0]
		sizes = sizes[1:]
		return size, nil
	}
	op := lrotel.Watch(telemetry(), "resize pool", get, poller.Until(func(size int) bool { return size == 3 }),
		&poller.WatchOptions{Name: "pool p1", Cadence: fast})
	fmt.Println(op.PollUntilDone(context.Background()))
	// Output:
	// lro.poll lro.operation=resize pool lro.state=InProgress
	// lro.poll lro.operation=resize pool lro.state=InProgress
	// lro.poll lro.operation=resize pool lro.state=Succeeded
	// lro.wait lro.operation=resize pool lro.outcome=succeeded lro.state=Succeeded lro.polls=3
	// 3 <nil>
}

// With a Group, the caller starts and ends the span of each wait.
func ExampleTelemetry_Group() {
	ctx := context.Background()
	tel := lrotel.NewTelemetry(&lrotel.Options{MeterProvider: metric.NewMeterProvider()})
	client := tel.Client(&transport.Options{Base: &fakes.Transport{Handler: &fakes.Service{}}})

	group := poller.NewGroup[*lrotel.Operation[Widget]](nil)
	gauges, err := tel.Group("widgets", group)
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"/widgets/w1", "/widgets/w2"} {
		op, err := begin(tel, client, path)
		if err != nil {
			log.Fatal(err)
		}
		op.Start(ctx)
		group.Add(op)
	}
	group.Close()
	ended := 0
	for op, err := range group.Wait(ctx) {
		op.End(err)
		if err == nil {
			ended++
		}
	}
	fmt.Println(ended, "succeeded", gauges.Unregister())
	// Output:
	// 2 succeeded <nil>
}

// Another process resumes the operation, and links its wait to the span of the request that started
// the operation.
func ExampleResume() {
	tel := lrotel.NewTelemetry(nil)
	client := tel.Client(&transport.Options{Base: &fakes.Transport{Handler: &fakes.Service{}}})
	op, err := begin(tel, client, "/widgets/w1")
	if err != nil {
		log.Fatal(err)
	}
	token, err := op.ResumeToken()
	if err != nil {
		log.Fatal(err)
	}
	parent := op.Traceparent() // store it with the resume token

	again, err := lrotel.Resume[Widget](tel, "create widget", token, client, &poller.Options{Origins: []string{"https://a.test"}, Cadence: fast})
	if err != nil {
		log.Fatal(err)
	}
	again.LinkTo(parent)
	w, err := again.PollUntilDone(context.Background())
	fmt.Println(w.Name, err)
	// Output:
	// w1 <nil>
}
