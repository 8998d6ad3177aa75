package pager

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/wire"
)

// Options configure a [Pager]. The zero value and nil mean the defaults. [New] and [Continue] copy
// the Options, so later changes have no effect. In a numeric field, 0 means the default. A negative
// ReadAhead turns off reading ahead. In any other numeric field, a negative number means no limit.
type Options struct {
	Items    string // JSON pointer (RFC 6901) to the items; "/value" by default
	NextLink string // JSON pointer to the link, such as "/next/href"; by default, "/nextLink", then "/@odata.nextLink", then "/odata.nextLink"

	// Next builds the request for the page after the one just read; none by default. Set it if the
	// pages do not link to the next one, for example because a token must go into a query, a header
	// or the body of a POST. Next receives the page just read, including its Body. It returns nil
	// to end the listing.
	//
	// Like a link, the request must go to an allowed origin. The pager adds the headers that every
	// later request has (see Header), and may send the request again after a failure.
	//
	// If Next returns an error, the pager still returns the page just read. Whenever the following
	// page is needed, the pager calls Next again, and reports an error only if that call fails as
	// well.
	//
	// With ReadAhead, another goroutine calls Next, one call at a time.
	Next func(Page[json.RawMessage]) (*http.Request, error)

	From string // a place returned by [Pager.Place]; the listing starts with a GET of that place instead of the first request; none by default

	// Origins lists the origins that are allowed in addition to the origin of the first request;
	// none by default. The pager follows links, and the redirects of an [*http.Client], only to
	// allowed origins, never from https to http, and never to a URL with user-info. If a page that
	// was read over https links to an http URL, the pager requests the https URL instead, provided
	// that its origin is allowed and both URLs use their default ports.
	Origins []string

	// Header holds headers that the pager adds to each request that lacks them; none by default. If
	// the Doer does not add Authorization, set it here. Of the first request's own headers, later
	// requests repeat only the client request id, the correlation id and Accept-Language.
	Header http.Header

	MaxPages int // limits how many pages may be read in total; an attempt to read more returns ErrTooManyPages; no limit by default

	// ReadAhead is the number of pages that Pages and All read ahead of the caller; none by
	// default. Pages and All start a goroutine that calls the Doer, the items' UnmarshalJSON, Next
	// and the Logger. The goroutine ends before the loop does.
	//
	// If one of these functions panics in the goroutine, Pages, All or NextPage panics with the
	// same value when the caller needs the page, or at the latest when the loop ends. If one of
	// them calls runtime.Goexit, the caller's goroutine exits in the same way. After a panic, the
	// page can be requested again.
	ReadAhead int

	MaxPageBytes int64 // limits the size of a page's body; 64 MiB by default

	// ResponseTimeout limits the duration of one response, including its body. The time starts over
	// with each MiB of the body. 5 min by default.
	ResponseTimeout time.Duration

	Logger *slog.Logger // receives one record for each attempt to read a page, at level Debug; none by default
}

const defaultPageBytes = 64 << 20

// The defaults of Items and NextLink. The first link is for Azure Resource Manager, and the other
// two are for OData (OData JSON Format v4.0, section 4.5.5, and v3.0).
const defaultItems = "/value"

var defaultLinks = []string{"/nextLink", "/@odata.nextLink", "/odata.nextLink"}

// settings are validated Options with the defaults filled in.
type settings struct {
	Options
	links   []string
	origins exchange.Origins
	limit   wire.Limit
}

// resolve copies opts, fills in the defaults and validates the options.
func resolve(opts *Options) (settings, error) {
	var s settings
	if opts != nil {
		s.Options = *opts
	}
	header := http.Header{} // a copy with canonical names
	wire.AddHeaders(header, s.Header)
	s.Header = header
	s.Items = cmp.Or(s.Items, defaultItems)
	s.links = defaultLinks
	if s.NextLink != "" {
		s.links = []string{s.NextLink}
	}

	s.MaxPages = max(s.MaxPages, 0)
	s.ReadAhead = max(s.ReadAhead, 0)
	s.MaxPageBytes = cmp.Or(s.MaxPageBytes, defaultPageBytes)
	if s.MaxPageBytes < 0 {
		s.MaxPageBytes = math.MaxInt64
	}
	s.ResponseTimeout = cmp.Or(s.ResponseTimeout, wire.ResponseTimeout)
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
	s.origins, err = exchange.NewOrigins(s.Origins)
	return s, err
}
