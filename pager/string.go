package pager

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lro-go/lro/internal/redact"
)

// String describes the page. It omits items, queries and header values.
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

// String describes the options. It omits header values and the queries of URLs.
func (o Options) String() string {
	names := slices.Sorted(maps.Keys(o.Header))
	return fmt.Sprintf("{Items:%s NextLink:%s Next:%t From:%s Origins:%v Header:%v MaxPages:%d ReadAhead:%d MaxPageBytes:%d ResponseTimeout:%s}",
		redact.Text(o.Items), redact.Text(o.NextLink), o.Next != nil, redact.RawURL(o.From), redact.RawURLs(o.Origins), names, o.MaxPages, o.ReadAhead, o.MaxPageBytes, o.ResponseTimeout)
}

// String describes the position of the pager, without queries.
func (p *Pager[T]) String() string {
	if len(p.rest.Items) > 0 {
		return fmt.Sprintf("pager within %s: %d items left", redact.RawURL(p.rest.URL), len(p.rest.Items))
	}
	if p.pos.end {
		return "pager at the end"
	}
	return "pager before " + p.pos.where()
}

// GoString quotes the text of String, because %#v would otherwise print header values.
func (o Options) GoString() string { return fmt.Sprintf("pager.Options(%q)", o.String()) }
