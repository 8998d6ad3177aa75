package pager

import (
	"encoding/json"
	"net/http"
)

// Page is one page of a listing. Its JSON, which log handlers may write, omits the fields that
// may contain a signed URL or a credential.
type Page[T any] struct {
	Items    []T
	NextLink string      `json:"-"` // unchanged; "" if there is none
	Count    *int64      // @odata.count, odata.count, count or total_count; nil if the service sent none of them
	URL      string      `json:"-"` // the URL of this page, after redirects; NextLink may be relative to it
	Header   http.Header `json:"-"` // headers of the response

	// Body is the unchanged response body. It is set only in a page that is passed to Options.Next.
	Body json.RawMessage `json:"-"`
}
