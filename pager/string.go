package pager

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/lro-go/lro/internal/wire"
)

// String describes a page without its items, queries and the values of headers.
func (p Page[T]) String() string {
	s := fmt.Sprintf("%d items", len(p.Items))
	if p.URL != "" {
		s += " of " + wire.Redacted(p.URL)
	}
	if p.Count != nil {
		s += fmt.Sprintf(" (count %d)", *p.Count)
	}
	if p.NextLink != "" {
		s += ", and a link to more"
	}
	return s
}

// String describes options without the values of headers and queries.
func (o Options) String() string {
	origins := make([]string, len(o.Origins))
	for i, origin := range o.Origins {
		origins[i] = wire.Redacted(origin)
	}
	var names []string
	for name := range o.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Sprintf("{Items:%s NextLink:%s Next:%t From:%s Origins:%v Header:%v MaxPages:%d ReadAhead:%d MaxPageBytes:%d AnswerTime:%s}",
		wire.Text(o.Items), wire.Text(o.NextLink), o.Next != nil, wire.Redacted(o.From), origins, names, o.MaxPages, o.ReadAhead, o.MaxPageBytes, o.AnswerTime)
}

// String tells where the pager stands, without queries.
func (p *Pager[T]) String() string {
	switch {
	case len(p.rest.Items) > 0:
		return fmt.Sprintf("pager within %s: %d items left", wire.Redacted(p.rest.URL), len(p.rest.Items))
	case p.pos.end:
		return "pager at the end"
	}
	return "pager before " + p.pos.where()
}

// GoString returns what String does.
func (p Page[T]) GoString() string { return goString("Page", p) }

// GoString returns what String does.
func (o Options) GoString() string { return goString("Options", o) }

// GoString returns what String does.
func (p *Pager[T]) GoString() string { return goString("Pager", p) }

func goString(name string, v fmt.Stringer) string {
	return fmt.Sprintf("pager.%s(%q)", name, v.String())
}

// LogValue returns what String does: the JSON of a page holds links with their queries.
func (p Page[T]) LogValue() slog.Value { return slog.StringValue(p.String()) }

// LogValue returns what String does.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// LogValue returns what String does.
func (p *Pager[T]) LogValue() slog.Value { return slog.StringValue(p.String()) }
