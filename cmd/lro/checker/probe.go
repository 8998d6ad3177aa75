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

// disturb interferes with the operation, in the first round of reads only: it repeats a PUT if
// Probe is set, and requests cancellation if Cancel is set.
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

// conflict repeats the PUT that started the operation, before the operation has ended. If the
// service accepts the second PUT, conflict waits for the resulting operation to end.
func (f *follower) conflict(ctx context.Context) error {
	if !slices.Contains(f.spec.probesDuring, conflict) {
		return nil
	}
	first := f.op.First()
	x := &trace.Exchange{Role: trace.Probe, Probe: conflict, Method: first.Method, URL: first.URL, RequestBody: first.RequestBody}
	if err := f.runner.read(ctx, f.op, trace.During, x); err != nil {
		return err
	}
	// Read the status right after the second PUT. If it still shows progress, the operation was in
	// progress when the service responded to the second PUT, and the rules for that PUT apply.
	if _, err := f.status(ctx, f.op, trace.During, &f.watches[0], 1); err != nil {
		return err
	}
	return f.awaitAccepted(ctx, f.op, x)
}

// cancel asks the service to cancel the operation. It sends nothing if the status is read from the
// resource, or if the origin of the status URL is not allowed.
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

// invalid creates the request for the probe with the given name. It returns nil if op does not
// provide what the request needs.
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

// unknownOperation returns a GET of op's status URL in which a nonexistent ID replaces the last
// segment of the path. It returns nil if op has no status URL or the path of that URL does not
// contain the ID.
func (r *runner) unknownOperation(op *trace.Operation) *trace.Exchange {
	reads := op.Statuses(op.Polled)
	if len(reads) == 0 || strings.EqualFold(reads[0].Path(), op.First().Path()) {
		return nil // no status URL, or the ID is not in its path (but, for example, in its query)
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
