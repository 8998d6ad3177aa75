package checker

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// Check sends the requests, follows their operations, and applies the rules to what it observes. It
// retries a request from o.Requests only after a 429 or 503.
//
// If ctx ends, Check stops early, and returns the cause and a report of what it has observed so
// far. Even then, Check first deletes what it has created, unless o.Keep is set. If o is invalid,
// Check sends nothing, and returns an error and no report. Check returns no other errors: if the
// service breaks rules, refuses requests or does not respond, the report says so.
func Check(ctx context.Context, o *Options) (*report.Report, error) {
	c, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &runner{Options: c, spec: specs[c.Spec], sender: newSender(c)}
	for _, request := range c.Requests {
		err = r.run(ctx, request)
		if err != nil {
			break
		}
	}
	left := r.cleanUp(context.WithoutCancel(ctx))
	result := report.New(c.Spec, rules.For(c.Spec), r.operations)
	result.Left = left
	result.Others = r.others
	return result, err
}

// A runner carries out one check.
type runner struct {
	*Options
	spec       spec
	sender     *sender
	operations []*trace.Operation
	others     []*trace.Operation // see report.Report.Others
}

// run sends a request and follows its operation. If ctx ends, run returns the cause. It returns no
// other error.
func (r *runner) run(ctx context.Context, request Request) error {
	op := &trace.Operation{Method: request.Method, URL: request.URL}
	r.operations = append(r.operations, op)
	if request.Method == http.MethodGet {
		return r.list(ctx, op, request)
	}

	op.Resource = r.spec.Resource(request.Method, request.URL)
	if op.Resource != "" {
		for reader := 1; reader <= 2; reader++ { // over both connections, because one may reach an out-of-date replica
			if err := r.read(ctx, op, trace.Before, r.resource(op, reader)); err != nil {
				return err
			}
		}
	}
	if err := r.start(ctx, op, request); err != nil {
		return err
	}
	if op.End == trace.Refused {
		return nil
	}
	if err := r.follow(ctx, op); err != nil {
		return err
	}
	return r.sendAfterEnd(ctx, op)
}

// maxAttempts limits how many times start sends a request that gets a 429 or 503.
const maxAttempts = 4

// start sends the request that starts op, and retries it after a 429 or 503.
func (r *runner) start(ctx context.Context, op *trace.Operation, request Request) error {
	for attempt := 1; ; attempt++ {
		x := &trace.Exchange{
			Role: trace.Start, Phase: trace.Before, Method: request.Method, URL: request.URL,
			RequestHeader: request.Header.Clone(), RequestBody: request.Body,
		}
		if err := r.sender.send(ctx, op, x); err != nil {
			return err
		}
		if x.OK() {
			return nil
		}
		if !isBusy(x) || attempt == maxAttempts {
			op.End = trace.Refused
			r.Log(refusal(x))
			return nil
		}
		if err := sleep(ctx, pauseOf(x)); err != nil {
			return err
		}
	}
}

// refusal returns the log line for a request that was refused or got no response.
func refusal(x *trace.Exchange) string {
	if x.Err != nil {
		return plain("the request got no response: " + x.Err.Error())
	}
	return fmt.Sprintf("the request was refused with %d", x.StatusCode)
}

// isBusy reports whether the response asks the client to retry later.
func isBusy(x *trace.Exchange) bool {
	return slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, x.StatusCode)
}

// pauseOf returns how long to wait after a 429 or 503: the seconds in Retry-After, but at least 1 s
// and at most 1 min. If Retry-After is missing or is not a whole number, pauseOf returns 10 s.
func pauseOf(x *trace.Exchange) time.Duration {
	seconds, err := strconv.Atoi(x.Header.Get("Retry-After"))
	if err != nil {
		seconds = 10
	}
	return time.Duration(min(max(seconds, 1), 60)) * time.Second
}

// resource creates a GET of op's resource, which the caller can send over the given connection.
func (r *runner) resource(op *trace.Operation, reader int) *trace.Exchange {
	return &trace.Exchange{Role: trace.Resource, Method: http.MethodGet, URL: op.Resource, Reader: reader}
}

// read sets the phase of x, and sends x as part of op.
func (r *runner) read(ctx context.Context, op *trace.Operation, phase trace.Phase, x *trace.Exchange) error {
	x.Phase = phase
	return r.sender.send(ctx, op, x)
}

// status reads the status at w.URL. If the response contains a new status URL with an allowed
// origin, status stores that URL in w. If the origin of w.URL is not allowed, status sends nothing
// and returns nil.
func (r *runner) status(ctx context.Context, op *trace.Operation, phase trace.Phase, w *trace.Watch, reader int) (*trace.Exchange, error) {
	if !r.sender.allowed(w.URL) {
		return nil, nil
	}
	x := &trace.Exchange{Role: w.Role, Source: w.Source, Method: http.MethodGet, URL: w.URL, Reader: reader}
	if err := r.read(ctx, op, phase, x); err != nil {
		return nil, err
	}
	if next := r.spec.Next(x, *w); r.sender.allowed(next) {
		w.URL = next
	}
	return x, nil
}
