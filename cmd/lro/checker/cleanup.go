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

// cleanUp deletes what the operations have created, the last one first. It returns the URLs of what
// is left.
func (r *runner) cleanUp(ctx context.Context) (left []string) {
	for _, resource := range slices.Backward(r.created()) {
		if r.Keep {
			left = append(left, resource)
			continue
		}
		r.Log("cleaning up")
		if !r.remove(ctx, resource) {
			left = append(left, resource)
		}
	}
	return left
}

// created returns the URLs of the resources that the operations have created and not deleted.
func (r *runner) created() (urls []string) {
	for _, op := range r.operations {
		if op.Method == http.MethodDelete && op.End == trace.Succeeded {
			urls = slices.DeleteFunc(urls, func(u string) bool { return u == op.Resource })
			continue
		}
		if creates(op) && !slices.Contains(urls, op.Resource) {
			urls = append(urls, op.Resource)
		}
	}
	return urls
}

// creates reports whether op may have created its resource: with a PUT of a missing resource, or with
// a POST to the collection. A request without a response may have been accepted.
func creates(op *trace.Operation) bool {
	x := op.First()
	if x == nil || op.Resource == "" {
		return false
	}
	accepted := x.OK() || x.StatusCode == 0
	if op.Method == http.MethodPut {
		return accepted && op.Created()
	}
	return accepted && op.Method == http.MethodPost && below(op.Resource, op.URL)
}

// below reports whether the path of child is below the path of parent.
func below(child, parent string) bool {
	c, err := url.Parse(child)
	if err != nil {
		return false
	}
	p, err := url.Parse(parent)
	return err == nil && c.Host == p.Host && strings.HasPrefix(c.Path, strings.TrimSuffix(p.Path, "/")+"/")
}

// remove deletes a resource and waits until it is gone. It sends the DELETE again if the resource is
// busy, until Patience has run out. It returns false if the resource is still there at the end.
func (r *runner) remove(ctx context.Context, resource string) bool {
	op := &trace.Operation{Method: http.MethodDelete, URL: resource, Resource: resource}
	r.others = append(r.others, op)
	for start := time.Now(); time.Since(start) < r.Patience; {
		x := &trace.Exchange{Role: trace.Start, Method: http.MethodDelete, URL: resource}
		_ = r.sender.send(ctx, op, x) // ctx does not end
		if x.OK() {
			f := &follower{runner: r, op: op, watches: r.spec.Watches(op), started: time.Now()}
			_ = f.wait(ctx) // ctx does not end
			return r.gone(ctx, op)
		}
		if isGone(x) {
			return true
		}
		if !isBusy(x) && x.StatusCode != http.StatusConflict {
			return false
		}
		_ = sleep(ctx, pauseOf(x)) // ctx does not end
	}
	return false
}

// gone reports whether the resource of op disappears within Patience.
func (r *runner) gone(ctx context.Context, op *trace.Operation) bool {
	for start := time.Now(); time.Since(start) < r.Patience; {
		x := r.resource(op, 1)
		_ = r.read(ctx, op, trace.After, x) // ctx does not end
		if isGone(x) {
			return true
		}
		_ = sleep(ctx, r.Interval) // ctx does not end
	}
	return false
}

// isGone reports whether a response says that the resource does not exist.
func isGone(x *trace.Exchange) bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusGone}, x.StatusCode)
}
