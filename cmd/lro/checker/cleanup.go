package checker

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// cleanUp deletes the resources that the operations have created, latest first. It returns the URLs
// of the resources that may still exist. If the URL of a resource is unknown, it returns the method
// and URL of the request instead.
func (r *runner) cleanUp(ctx context.Context) (left []string) {
	for _, op := range slices.Backward(r.creations()) {
		if op.Resource == "" {
			left = append(left, op.Method+" "+op.URL+" (the URL of the resource is unknown)")
			continue
		}
		if !isOwn(op) {
			r.Log("not deleted, because the response to the PUT says that the resource existed before")
		}
		if r.Keep || !isOwn(op) {
			left = append(left, op.Resource)
			continue
		}
		r.Log("cleaning up")
		if !r.remove(ctx, op) {
			left = append(left, op.Resource)
		}
	}
	return left
}

// creations returns the operations that may have created a resource, at most one for each resource.
// It leaves out operations whose resource was deleted by a later operation.
func (r *runner) creations() (all []*trace.Operation) {
	for _, op := range r.operations {
		sameResource := func(other *trace.Operation) bool { return other.Resource == op.Resource }
		if op.Method == http.MethodDelete && wasGone(op) {
			all = slices.DeleteFunc(all, sameResource)
			continue
		}
		isKnown := op.Resource != "" && slices.ContainsFunc(all, sameResource)
		if r.mayCreate(op) && !isKnown {
			all = append(all, op)
		}
	}
	return all
}

// wasGone reports whether a read after a deletion found the resource gone. The deletion's own
// status is not sufficient proof.
func wasGone(op *trace.Operation) bool {
	return slices.ContainsFunc(op.Reads(trace.Resource, trace.After), isGone)
}

// mayCreate reports whether op may have created its resource. A POST may have created it if the URL
// of the resource is below the POST's URL. If spec.postCreates is set, a POST that has not
// succeeded may also have created a resource whose URL is unknown.
func (r *runner) mayCreate(op *trace.Operation) bool {
	if !slices.ContainsFunc(op.Exchanges, mayHaveTakenEffect) {
		return false
	}
	switch op.Method {
	case http.MethodPut:
		return op.Created()
	case http.MethodPost:
		isUnknown := op.Resource == "" && op.End != trace.Succeeded
		return r.spec.postCreates && isUnknown || below(op.Resource, op.URL)
	}
	return false
}

// mayHaveTakenEffect reports whether x may have started the operation. Even after a 408, a 5xx or
// no response, the service may have accepted the request.
func mayHaveTakenEffect(x *trace.Exchange) bool {
	if x.Role != trace.Start {
		return false
	}
	return x.OK() || x.StatusCode == 0 || x.StatusCode == http.StatusRequestTimeout || x.StatusCode >= 500
}

// isOwn reports whether the check created the resource of op, and so may delete it: every read
// before the operation got a 404, and no response to the request was a 200.
func isOwn(op *trace.Operation) bool {
	isMissing := func(x *trace.Exchange) bool { return x.StatusCode == http.StatusNotFound }
	for _, x := range op.Reads(trace.Resource, trace.Before) {
		if !isMissing(x) {
			return false
		}
	}
	return !slices.ContainsFunc(op.Exchanges, func(x *trace.Exchange) bool {
		return x.Role == trace.Start && x.StatusCode == http.StatusOK
	})
}

// below reports whether child has the same scheme and host as parent and a path below parent's
// path.
func below(child, parent string) bool {
	c, err := url.Parse(child)
	if err != nil {
		return false
	}
	p, err := url.Parse(parent)
	return err == nil && c.Scheme == p.Scheme && c.Host == p.Host && strings.HasPrefix(c.Path, strings.TrimSuffix(p.Path, "/")+"/")
}

// remove deletes the resource that an operation created, and reports whether the resource is gone.
// While the creation may still be in progress, a 404 is not sufficient proof, because the resource
// may appear later. Errors are ignored, because they occur only if ctx has ended.
func (r *runner) remove(ctx context.Context, creation *trace.Operation) bool {
	op := &trace.Operation{Method: http.MethodDelete, URL: creation.Resource, Resource: creation.Resource}
	r.others = append(r.others, op)
	hasEnded := !slices.Contains([]trace.End{trace.Unfinished, trace.Silent}, creation.End)
	for start := time.Now(); time.Since(start) < r.Patience; {
		look := r.resource(op, 1)
		_ = r.read(ctx, op, trace.Before, look)
		if isGone(look) && hasEnded {
			return true
		}
		if isGone(look) {
			_ = sleep(ctx, r.Interval)
			continue
		}
		x := &trace.Exchange{Role: trace.Start, Method: http.MethodDelete, URL: op.URL}
		_ = r.sender.send(ctx, op, x)
		if x.OK() {
			f := &follower{runner: r, op: op, watches: r.spec.Watches(op), started: time.Now()}
			_ = f.wait(ctx)
			return r.gone(ctx, op)
		}
		mayRepeat := isGone(x) || isBusy(x) || x.StatusCode == http.StatusConflict
		if !mayRepeat {
			return false
		}
		_ = sleep(ctx, pauseOf(x))
	}
	return false
}

// gone waits for op's resource to disappear. It returns false if that takes longer than Patience.
// It ignores errors, because they occur only if ctx has ended.
func (r *runner) gone(ctx context.Context, op *trace.Operation) bool {
	for start := time.Now(); time.Since(start) < r.Patience; {
		x := r.resource(op, 1)
		_ = r.read(ctx, op, trace.After, x)
		if isGone(x) {
			return true
		}
		_ = sleep(ctx, r.Interval)
	}
	return false
}

// isGone reports whether a response says that the resource does not exist.
func isGone(x *trace.Exchange) bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusGone}, x.StatusCode)
}
