package origin

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

// A Set holds the origins that requests may go to. The zero Set allows none. No method changes the
// Set.
type Set struct{ list []string }

// NewSet returns the set of the given origins, such as "https://management.azure.com". It
// rejects a URL with a path, because the path would not be checked.
func NewSet(origins []string) (Set, error) {
	var set Set
	for _, s := range origins {
		u, err := url.Parse(s)
		switch {
		case err != nil:
			err = errors.New("it cannot be parsed") // the error from url.Parse may quote a part of a password
		case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
			err = errors.New("it has a path, a query or a fragment")
		default:
			set, err = set.With(u)
		}
		if err != nil {
			return Set{}, fmt.Errorf("lro: Origins: %q is not an origin such as https://management.azure.com: %w", redact.Bare(s), err)
		}
	}
	return set, nil
}

// With returns a copy of the set that also contains the origin of u.
func (s Set) With(u *url.URL) (Set, error) {
	origin, err := Of(u)
	if err != nil {
		return s, err
	}
	return Set{append(slices.Clip(s.list), origin)}, nil
}

// List returns the normalized origins, which the caller must not change.
func (s Set) List() []string { return s.list }

// Allow returns nil if the origin of u is in the set or in more. Otherwise, it returns an error
// that wraps ErrForeignOrigin. If fromHTTPS is true, an https URL led to u, so u must be an https
// URL as well.
func (s Set) Allow(u *url.URL, fromHTTPS bool, more ...string) error {
	if u != nil && u.User == nil && !strings.Contains(u.Host, "%") && (u.Scheme == "https" || !fromHTTPS) && slices.ContainsFunc(s.list, func(origin string) bool {
		scheme, host, _ := strings.Cut(origin, "://")
		return scheme == u.Scheme && host == u.Host
	}) {
		return nil // u matches an origin without being normalized
	}
	origin, err := Of(u)
	if err != nil {
		return fmt.Errorf("%w: %w", lroerrors.ErrForeignOrigin, err)
	}
	if fromHTTPS && !strings.HasPrefix(origin, "https:") {
		return fmt.Errorf("%w: %s is not https, but the URL before it was", lroerrors.ErrForeignOrigin, origin)
	}
	if slices.Contains(s.list, origin) || slices.Contains(more, origin) {
		return nil
	}
	return fmt.Errorf("%w: %s is not an allowed origin", lroerrors.ErrForeignOrigin, origin)
}
