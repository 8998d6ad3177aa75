package pager

import (
	"encoding/json"
	"net/http"
)

// A Page is one page of a listing.
type Page[T any] struct {
	Items    []T
	NextLink string      // as the service wrote it; "" where it gave none
	Count    *int64      // as the service told it: @odata.count, odata.count, count or total_count; nil where it did not
	URL      string      // that the page came from, after redirects: what a relative NextLink is relative to
	Header   http.Header // of the answer

	// Body is the answer as it came, of a page that is given to Options.Next. It
	// is nil in every other.
	Body json.RawMessage
}
