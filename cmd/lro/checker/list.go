package checker

import (
	"context"
	"net/http"
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// maxPages limits how many pages of a listing the check reads.
const maxPages = 100

// list reads a resource or the pages of a listing.
func (r *runner) list(ctx context.Context, op *trace.Operation, request Request) error {
	link := request.URL
	var seen []string
	for range maxPages {
		seen = append(seen, link)
		x := &trace.Exchange{Role: trace.Page, Phase: trace.Before, Method: http.MethodGet, URL: link, RequestHeader: request.Header.Clone()}
		if err := r.sender.send(ctx, op, x); err != nil {
			return err
		}
		op.Listing = true
		if len(seen) == 1 && x.Has("/id") {
			x.Role = trace.Resource
			return nil
		}
		next := nextPage(x)
		if next == "" || slices.Contains(seen, next) || !r.sender.allowed(next) {
			return nil
		}
		link = next
	}
	return nil
}

// nextPage returns the URL of the page after x, or "".
func nextPage(x *trace.Exchange) string {
	for _, pointer := range []string{"/nextLink", "/next/href", "/next"} {
		ref := x.Text(pointer)
		if ref == "" {
			continue
		}
		if u := x.Resolve(ref); u != nil {
			return u.String()
		}
	}
	return ""
}
