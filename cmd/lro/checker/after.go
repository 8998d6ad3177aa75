package checker

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// rounds is how often everything is read after the end.
const rounds = 3

// lookAgain reads the status and the resource several times after the end, over both connections.
func (r *runner) lookAgain(ctx context.Context, op *trace.Operation, watches []trace.Watch) error {
	for round := range rounds {
		if round > 0 {
			if err := sleep(ctx, r.Interval); err != nil {
				return err
			}
		}
		for reader := 1; reader <= 2; reader++ {
			if err := r.lookOnce(ctx, op, watches, reader); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookOnce reads the status and the resource over one connection.
func (r *runner) lookOnce(ctx context.Context, op *trace.Operation, watches []trace.Watch, reader int) error {
	for i := range watches {
		if watches[i].Role == trace.Resource {
			continue
		}
		if _, err := r.status(ctx, op, trace.After, &watches[i], reader); err != nil {
			return err
		}
	}
	if op.Resource == "" {
		return nil
	}
	return r.read(ctx, op, trace.After, r.resource(op, reader))
}

// lookBack sends the requests that come after the end: a second DELETE, and the probes.
func (r *runner) lookBack(ctx context.Context, op *trace.Operation) error {
	if op.End == trace.Unfinished {
		return nil
	}
	if op.Method == http.MethodDelete && op.End == trace.Succeeded && r.spec.repeatsDelete {
		x := &trace.Exchange{Role: trace.Repeat, Phase: trace.After, Method: http.MethodDelete, URL: op.URL}
		if err := r.sender.send(ctx, op, x); err != nil {
			return err
		}
	}
	if r.Probe {
		return r.probe(ctx, op)
	}
	return nil
}
