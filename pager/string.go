package pager

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lro-go/lro/internal/redact"
)

// String describes the page, but omits its items, its headers and the queries of its URLs.
func (p Page[T]) String() string {
	s := fmt.Sprintf("%d items", len(p.Items))
	if p.URL != "" {
		s += " of " + redact.RawURL(p.URL)
	}
	if p.Count != nil {
		s += fmt.Sprintf(" (count %d)", *p.Count)
	}
	if p.NextLink != "" {
		s += ", and a link to more"
	}
	return s
}

// String describes the options without header values and URL queries.
func (o Options) String() string {
	names := slices.Sorted(maps.Keys(o.Header))
	return fmt.Sprintf("{Items:%s NextLink:%s Next:%t From:%s Origins:%v Header:%v MaxPages:%d ReadAhead:%d MaxPageBytes:%d ResponseTimeout:%s}",
		redact.Text(o.Items), redact.Text(o.NextLink), o.Next != nil, redact.RawURL(o.From), redact.RawURLs(o.Origins), names, o.MaxPages, o.ReadAhead, o.MaxPageBytes, o.ResponseTimeout)
}

// String describes the pager's position without URL queries.
func (p *Pager[T]) String() string {
	if len(p.rest.Items) > 0 {
		return fmt.Sprintf("pager within %s: %d items left", redact.RawURL(p.rest.URL), len(p.rest.Items))
	}
	if p.pos.end {
		return "pager at the end"
	}
	return "pager before " + p.pos.where()
}

// GoString quotes the result of String, so that %#v does not print header values.
func (o Options) GoString() string { return fmt.Sprintf("pager.Options(%q)", o.String()) }
