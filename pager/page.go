package pager

import (
	"encoding/json"
	"net/http"
)

// Page is one page of a listing. Its JSON, and so its log record, omits the fields that
// may hold a signed URL or a credential.
type Page[T any] struct {
	Items    []T
	NextLink string      `json:"-"` // as the service wrote it; empty if there is none
	Count    *int64      // @odata.count, odata.count, count or total_count; nil if the service sent none of them
	URL      string      `json:"-"` // of this page, after redirects; a relative NextLink is relative to it
	Header   http.Header `json:"-"` // of the response

	// Body is the response body, unchanged. It is set only in a page that is passed to
	// Options.Next.
	Body json.RawMessage `json:"-"`
}
