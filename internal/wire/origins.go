package wire

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/transport"
)

// Origins is the set of origins that requests may go to (RFC 6454), and so see a
// credential. The zero Origins allows none. Its methods do not change it.
type Origins struct{ list []string }

// NewOrigins returns the set of the given origins, such as "https://management.azure.com".
// It rejects a URL with a path, because the path would not be checked.
func NewOrigins(origins []string) (Origins, error) {
	var o Origins
	for _, s := range origins {
		u, err := url.Parse(s)
		if err != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
			return Origins{}, fmt.Errorf("lro: Origins: %q is not an origin such as https://management.azure.com", redact.RawURL(s))
		}
		if o, err = o.With(u); err != nil {
			return Origins{}, fmt.Errorf("lro: Origins: %w", err)
		}
	}
	return o, nil
}

// With returns o and the origin of u.
func (o Origins) With(u *url.URL) (Origins, error) {
	origin, err := transport.Origin(u)
	if err != nil {
		return o, err
	}
	return Origins{append(slices.Clip(o.list), origin)}, nil
}

// Mark returns a context whose requests may be redirected to the origins, whatever the
// origins of their transport are.
func (o Origins) Mark(ctx context.Context) context.Context {
	return transport.WithOrigins(ctx, o.list...)
}

// MarkPolling is [Origins.Mark] for a caller that schedules the next attempt itself.
func (o Origins) MarkPolling(ctx context.Context) context.Context {
	return transport.ForPolling(ctx, o.list...)
}

// Allow returns an error that wraps ErrForeignOrigin unless o holds the origin of u. from
// is the URL that led to u, or nil; an https URL must not lead to http.
func (o Origins) Allow(u, from *url.URL) error {
	if u != nil && u.User == nil && u.Scheme == "https" && slices.ContainsFunc(o.list, func(origin string) bool {
		host, ok := strings.CutPrefix(origin, "https://")
		return ok && host == u.Host
	}) {
		return nil // nothing to normalize
	}
	origin, err := transport.Origin(u)
	if err != nil {
		return fmt.Errorf("%w: %w", lroerrors.ErrForeignOrigin, err)
	}
	if from != nil && strings.EqualFold(from.Scheme, "https") && !strings.HasPrefix(origin, "https:") {
		return fmt.Errorf("%w: %s would leave https", lroerrors.ErrForeignOrigin, origin)
	}
	if slices.Contains(o.list, origin) {
		return nil
	}
	return fmt.Errorf("%w: %s is not the origin of the first request and not among Options.Origins", lroerrors.ErrForeignOrigin, origin)
}
