package wire

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// Origins are those that may be asked, and so may see a credential (RFC 6454).
// The zero Origins allows none. It is not changed after its making.
type Origins struct {
	made *originSet // nil: none
}

type originSet struct{ list []string }

func (o Origins) list() []string {
	if o.made == nil {
		return nil
	}
	return o.made.list
}

// NewOrigins makes the set of the given origins, such as
// "https://management.azure.com". A path behind an origin is an error: it would
// promise a bound that is not kept.
func NewOrigins(origins []string) (Origins, error) {
	var o Origins
	for _, s := range origins {
		u, _, err := ParseURL(s)
		if err != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
			return Origins{}, fmt.Errorf("lro: Origins: %q is not an origin such as https://management.azure.com", Redacted(s))
		}
		if o, err = o.With(&u); err != nil {
			return Origins{}, fmt.Errorf("lro: Origins: %w", err)
		}
	}
	return o, nil
}

// With returns o and the origin of u.
func (o Origins) With(u *url.URL) (Origins, error) {
	if w := lastWith.Load(); w != nil && w.base == o.made && isWritten(u, w.origin) {
		return w.made, nil
	}
	origin, err := transport.Origin(u)
	if err != nil {
		return o, err
	}
	list := append(slices.Clip(o.list()), origin)
	w := &with{o.made, origin, Origins{&originSet{list}}}
	lastWith.Store(w)
	return w.made, nil
}

// with is what With made of base and origin. A hundred thousand operations of one
// service share it.
type with struct {
	base   *originSet
	origin string
	made   Origins
}

var lastWith atomic.Pointer[with]

// List returns the origins, normalised. The slice is the caller's.
func (o Origins) List() []string { return slices.Clone(o.list()) }

// Mark returns a context whose requests may be redirected to the origins, with
// whatever transport they are sent.
func (o Origins) Mark(ctx context.Context) context.Context {
	return transport.WithOrigins(ctx, o.list()...)
}

// MarkPolling does the same for the requests of a caller who schedules the next
// attempt itself.
func (o Origins) MarkPolling(ctx context.Context) context.Context {
	return transport.ForPolling(ctx, o.list()...)
}

// Allow returns an error that wraps ErrForeignOrigin, unless u may be asked.
// from is the URL that led to u, or nil; nothing leads from https to http.
func (o Origins) Allow(u, from *url.URL) error {
	if o.hold(u) {
		return nil
	}
	origin, err := transport.Origin(u)
	if err != nil {
		return fmt.Errorf("%w: %w", lroerrors.ErrForeignOrigin, err)
	}
	if from != nil && strings.EqualFold(from.Scheme, "https") && !strings.HasPrefix(origin, "https:") {
		return fmt.Errorf("%w: %s would leave https", lroerrors.ErrForeignOrigin, origin)
	}
	if slices.Contains(o.list(), origin) {
		return nil
	}
	return fmt.Errorf("%w: %s is not the origin of the first request and not among Options.Origins", lroerrors.ErrForeignOrigin, origin)
}

// hold reports whether u leads over https to one of the origins and is written as
// that is, so that there is nothing to normalise.
func (o Origins) hold(u *url.URL) bool {
	return u != nil && u.Scheme == "https" && slices.ContainsFunc(o.list(), func(origin string) bool { return isWritten(u, origin) })
}

// isWritten reports whether origin, which is normalised, is how u begins.
func isWritten(u *url.URL, origin string) bool {
	scheme, host, _ := strings.Cut(origin, "://")
	return u != nil && u.User == nil && u.Scheme == scheme && u.Host == host
}
