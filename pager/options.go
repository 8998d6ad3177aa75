package pager

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/wire"
)

// Options configure a [Pager]. The zero value and nil mean the defaults. [New] and
// [Continue] copy them, so later changes have no effect.
type Options struct {
	Items    string // JSON pointer (RFC 6901) to the items; "/value"
	NextLink string // JSON pointer to the link, e.g. "/next/href"; "/nextLink", then "/@odata.nextLink", "/odata.nextLink"

	// Next builds the request for the next page, if that is not a GET of a link: if a token
	// goes into a query, a header or the body of a POST, for example. It receives the page
	// just read, with its Body, and returns nil to end the listing. The request may go to
	// the same origins as a link. The pager adds Header and what it sends with every page,
	// and may send the request again after a failure.
	//
	// An error of Next does not affect the page just read. It is returned as the error of
	// the page after that, and Next is called again when that page is requested again.
	//
	// With ReadAhead, another goroutine calls Next, one call at a time.
	Next func(Page[json.RawMessage]) (*http.Request, error)

	From    string      // a place that [Pager.Place] returned; the listing starts with a GET of it instead of the first request
	Origins []string    // origins that requests may go to, in addition to the first request's
	Header  http.Header // added to every request; a header that the request has already takes precedence

	MaxPages     int   // how many pages may be read in total, before ErrTooManyPages; 0 or less: no limit
	ReadAhead    int   // how many pages Pages and All read ahead of the caller; 0 or less: none
	MaxPageBytes int64 // limit of the body of a page; 0 or less: 64 MiB

	// ResponseTimeout limits the time of one response, body included. Each MiB of the body
	// restarts it. 0 means 5 min; a negative value means no limit other than the context's.
	ResponseTimeout time.Duration

	Logger *slog.Logger // gets one record for each page, at level Debug; nil: none
}

const defaultPageBytes = 64 << 20

// The default pointers. ARM uses nextLink; the others are OData's (OData JSON Format v4.0,
// section 4.5.5, and v3.0).
const defaultItems = "/value"

var defaultLinks = []string{"/nextLink", "/@odata.nextLink", "/odata.nextLink"}

// settings are validated Options with the defaults filled in.
type settings struct {
	Options
	links   []string
	origins wire.Origins
	limit   wire.Limit
}

// resolve copies opts, fills in the defaults and validates the options.
func resolve(opts *Options) (settings, error) {
	var s settings
	if opts != nil {
		s.Options = *opts
	}
	header := http.Header{} // with canonical names
	wire.AddHeaders(header, s.Header)
	s.Header = header
	if s.Items == "" {
		s.Items = defaultItems
	}
	s.links = defaultLinks
	if s.NextLink != "" {
		s.links = []string{s.NextLink}
	}
	if s.MaxPageBytes <= 0 {
		s.MaxPageBytes = defaultPageBytes
	}
	s.limit = wire.Limit{Name: "MaxPageBytes", Bytes: s.MaxPageBytes, Time: s.ResponseTimeout}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if err := jsonread.CheckPointer(s.Items); err != nil {
		return s, fmt.Errorf("lro: Items: %w", err)
	}
	if err := jsonread.CheckPointer(s.NextLink); err != nil {
		return s, fmt.Errorf("lro: NextLink: %w", err)
	}
	var err error
	s.origins, err = wire.NewOrigins(s.Origins)
	return s, err
}
