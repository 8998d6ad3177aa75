package pager

import (
	"encoding/json"
	"net/http"
)

// Page is one page of a listing. Its JSON encoding, which a log handler may write, omits the fields
// that may contain a signed URL or a credential.
type Page[T any] struct {
	Items    []T
	NextLink string      `json:"-"` // the link as the service sent it; "" if the page has no link
	Count    *int64      // the first of @odata.count, odata.count, count and total_count that is an integer, even in a string; nil if none is
	URL      string      `json:"-"` // the URL of this page, after redirects; NextLink may be relative to it
	Header   http.Header `json:"-"` // headers of the response

	// Body is the response body without a byte order mark. It is set only in a page that is passed
	// to Options.Next.
	Body json.RawMessage `json:"-"`
}
