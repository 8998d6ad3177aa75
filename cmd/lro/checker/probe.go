package checker

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// disturb sends a conflicting PUT if Probe is set, and a cancel request if Cancel is set. It does
// so in the first round only.
func (f *follower) disturb(ctx context.Context) error {
	if f.round > 1 || !f.disturbs {
		return nil
	}
	if f.Probe && f.op.Method == http.MethodPut {
		if err := f.conflict(ctx); err != nil {
			return err
		}
	}
	if f.Cancel {
		return f.cancel(ctx)
	}
	return nil
}

// conflict sends the PUT again while the operation that it started is in progress.
func (f *follower) conflict(ctx context.Context) error {
	if !slices.Contains(f.spec.probesDuring, conflict) {
		return nil
	}
	first := f.op.First()
	x := &trace.Exchange{Role: trace.Probe, Probe: conflict, Method: first.Method, URL: first.URL, RequestBody: first.RequestBody}
	if err := f.runner.read(ctx, f.op, trace.During, x); err != nil {
		return err
	}
	// Read the status, because the rules for the second PUT apply only if the operation is still in
	// progress.
	if _, err := f.status(ctx, f.op, trace.During, &f.watches[0], 1); err != nil {
		return err
	}
	return f.awaitAccepted(ctx, f.op, x)
}

// cancel requests cancellation of the operation. It sends nothing if the resource contains the
// status, or if the origin of the status URL is not allowed.
func (f *follower) cancel(ctx context.Context) error {
	w := f.watches[0]
	if w.Role != trace.Status || !f.sender.allowed(w.URL) {
		return nil
	}
	link := withPath(w.URL, func(p string) string { return p + f.spec.cancelSuffix })
	return f.runner.read(ctx, f.op, trace.During, &trace.Exchange{Role: trace.Cancel, Method: f.spec.cancelMethod, URL: link})
}

// probe sends invalid requests after op has ended.
func (r *runner) probe(ctx context.Context, op *trace.Operation) error {
	names := r.spec.probesAfter
	if op.Method == http.MethodPut && op.End == trace.Succeeded {
		names = slices.Concat(names, r.spec.probesAfterPut)
	}
	for _, name := range names {
		x := r.invalid(op, name)
		if x == nil {
			continue
		}
		x.Role = trace.Probe
		x.Probe = name
		if err := r.sendProbe(ctx, op, trace.After, x); err != nil {
			return err
		}
	}
	return nil
}

// sendProbe sends an invalid request. If the service accepts the request, sendProbe waits for the
// resulting operation to end.
func (r *runner) sendProbe(ctx context.Context, op *trace.Operation, phase trace.Phase, x *trace.Exchange) error {
	if err := r.read(ctx, op, phase, x); err != nil {
		return err
	}
	return r.awaitAccepted(ctx, op, x)
}

// invalid returns the named invalid request, or nil if it is not possible after op.
func (r *runner) invalid(op *trace.Operation, name string) *trace.Exchange {
	switch name {
	case unknownOperation:
		return r.unknownOperation(op)
	case provisioningState:
		return foreignState(op)
	case malformedBody:
		return &trace.Exchange{Method: http.MethodPut, URL: op.URL, RequestBody: []byte("{")}
	}
	return nil
}

// noOperation is the ID of an operation that does not exist.
const noOperation = "00000000-0000-0000-0000-00000badc0de"

// unknownOperation returns a read of the status of a nonexistent operation, at the status URL of op
// with the ID replaced.
func (r *runner) unknownOperation(op *trace.Operation) *trace.Exchange {
	reads := op.Statuses(op.Polled)
	if len(reads) == 0 || strings.EqualFold(reads[0].Path(), op.First().Path()) {
		return nil // the path does not contain the operation's ID, but the query may
	}
	link := withPath(reads[0].URL, func(p string) string { return path.Join(path.Dir(p), noOperation) })
	return &trace.Exchange{Method: http.MethodGet, URL: link}
}

// foreignState returns a copy of the PUT that started op, with provisioningState set to Failed, or
// nil if the resource has no provisioningState.
func foreignState(op *trace.Operation) *trace.Exchange {
	reads := op.Reads(trace.Resource, trace.After)
	if len(reads) == 0 || !reads[len(reads)-1].Has("/properties/provisioningState") {
		return nil
	}
	var body map[string]any
	_ = json.Unmarshal(op.First().RequestBody, &body)
	if body == nil { // the PUT did not send an object
		body = map[string]any{}
	}
	properties, ok := body["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
	}
	properties["provisioningState"] = "Failed"
	body["properties"] = properties
	text, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	return &trace.Exchange{Method: http.MethodPut, URL: op.URL, RequestBody: text}
}

// withPath applies a function to the path of a URL and keeps the query.
func withPath(link string, change func(string) string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	u.Path = change(u.Path)
	u.RawPath = ""
	return u.String()
}
