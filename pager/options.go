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

// Options are those of [New] and [Continue]. The zero Options, and nil, are the
// defaults. They are copied: changing them later changes nothing.
type Options struct {
	Items    string // JSON pointer (RFC 6901) to the items; "/value"
	NextLink string // JSON pointer to the link, e.g. "/next/href"; "/nextLink", then "/@odata.nextLink", "/odata.nextLink"

	// Next makes the request for the next page, where that is not a GET of a
	// link: where a token goes into a query, a header or the body of a POST. It
	// is given the page just read, with its Body; nil ends the listing. The
	// request is sent as it is, to the origins that a link may lead to, and can
	// be sent again after a failure. Where Next fails, the page just read is
	// good all the same: Next is called again when the one behind it is asked
	// for, and an error is then one of that page.
	//
	// With ReadAhead it is called in another goroutine, one call at a time.
	Next func(Page[json.RawMessage]) (*http.Request, error)

	From    string      // a place that [Pager.Place] told, to start from with a GET in place of the first request
	Origins []string    // origins that may be asked beside the first request's
	Header  http.Header // added to every request, where that does not have the header itself

	MaxPages     int   // how many pages are read, ever; then ErrTooManyPages; 0 or less: no bound
	ReadAhead    int   // how many pages are read ahead of the caller, within Pages and All; 0 or less: none
	MaxPageBytes int64 // of a page; 0 or less: 64 MiB

	// ResponseTimeout is how long one response may take, body included. Each MiB of the
	// body restarts it. 0 means 5 min, a negative value no limit but the context's.
	ResponseTimeout time.Duration

	Logger *slog.Logger // a record at Debug for each page; nil: none
}

const defaultPageBytes = 64 << 20

// The pointers that [Options] names as defaults. ARM has nextLink, and OData
// its own in two versions (OData JSON Format v4.0, section 4.5.5, and v3.0).
const defaultItems = "/value"

var defaultLinks = []string{"/nextLink", "/@odata.nextLink", "/odata.nextLink"}

// settings are Options with the defaults filled in.
type settings struct {
	Options
	links   []string
	origins wire.Origins
	limit   wire.Limit
}

// resolve copies opts and checks what a caller can get wrong.
func resolve(opts *Options) (settings, error) {
	var s settings
	if opts != nil {
		s.Options = *opts
	}
	s.Header = s.Header.Clone()
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
	return s, s.check()
}

func (s *settings) check() (err error) {
	if err := jsonread.CheckPointer(s.Items); err != nil {
		return fmt.Errorf("lro: Items: %w", err)
	}
	if err := jsonread.CheckPointer(s.NextLink); err != nil {
		return fmt.Errorf("lro: NextLink: %w", err)
	}
	s.origins, err = wire.NewOrigins(s.Origins)
	return err
}
