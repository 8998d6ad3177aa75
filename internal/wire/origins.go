package wire

import (
	"context"
	"net/http"
	"net/url"

	"github.com/lro-go/lro/internal/origin"
	"github.com/lro-go/lro/internal/reqctx"
)

// Origins is the set of origins that requests may go to.
type Origins struct{ origin.Set }

// NewOrigins is like [origin.NewSet], but returns Origins.
func NewOrigins(list []string) (Origins, error) {
	set, err := origin.NewSet(list)
	return Origins{set}, err
}

// With returns a copy of o that also contains the origin of u.
func (o Origins) With(u *url.URL) (Origins, error) {
	set, err := o.Set.With(u)
	return Origins{set}, err
}

// IsHTTPS is [origin.IsHTTPS].
func IsHTTPS(u *url.URL) bool { return origin.IsHTTPS(u) }

// Mark returns a context for requests. A request with this context may be redirected to the
// origins in o, even if its transport would not allow that, and may keep the headers h on such a
// redirect.
func (o Origins) Mark(ctx context.Context, h http.Header) context.Context {
	return reqctx.With(ctx, Terms{Origins: o, Header: h}.wishes(ctx))
}
