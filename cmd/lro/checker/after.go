package checker

import (
	"context"
	"net/http"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// roundsAfterEnd is how many rounds of reads the check makes after an operation has ended.
const roundsAfterEnd = 3

// readAfterEnd reads the status and the resource several times after the operation has ended, over
// both connections.
func (r *runner) readAfterEnd(ctx context.Context, op *trace.Operation, watches []trace.Watch) error {
	for round := range roundsAfterEnd {
		if round > 0 {
			if err := sleep(ctx, r.Interval); err != nil {
				return err
			}
		}
		for reader := 1; reader <= 2; reader++ {
			if err := r.readEverything(ctx, op, watches, reader); err != nil {
				return err
			}
		}
	}
	return nil
}

// readEverything reads each status URL and the resource once, over one connection.
func (r *runner) readEverything(ctx context.Context, op *trace.Operation, watches []trace.Watch, reader int) error {
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

// sendAfterEnd sends more requests after op has ended: another DELETE if op was a successful DELETE
// and the specification defines the response, and invalid requests if Probe is set.
func (r *runner) sendAfterEnd(ctx context.Context, op *trace.Operation) error {
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
