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

// Mark returns a context whose requests may follow redirects to the origins, even if their
// transport would not allow that. The requests may keep the headers h on such redirects.
func (o Origins) Mark(ctx context.Context, h http.Header) context.Context {
	return reqctx.With(ctx, Terms{Origins: o, Header: h}.wishes(ctx))
}
