package security

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// A listing is a case in which a pager gets a URL from a service or a caller.
type listing struct {
	name     string
	first    func(u string) answer // the first page
	opts     func(u string) pager.Options
	redirect bool
	theirs   bool // the URL comes from the caller, not from the service
}

func listings() []listing {
	link := func(name, opts string) listing {
		return listing{
			name: name, first: func(u string) answer { return answer{200, nil, `{"value":[1],"` + name + `":` + jsonText(u) + `}`} },
			opts: func(string) pager.Options { return pager.Options{NextLink: opts} },
		}
	}
	all := []listing{link("nextLink", ""), link("@odata.nextLink", ""), link("odata.nextLink", ""), link("next", "/next")}
	for _, code := range []int{301, 302, 303, 307, 308} {
		all = append(all, listing{
			name: fmt.Sprint(code), redirect: true,
			first: func(u string) answer { return answer{code, map[string]string{"Location": u}, ""} },
		})
	}
	return append(all,
		listing{name: "From", theirs: true, opts: func(u string) pager.Options { return pager.Options{From: u} }},
		listing{
			name: "Next", theirs: true, first: func(string) answer { return answer{200, nil, `{"value":[1]}`} },
			opts: func(u string) pager.Options {
				return pager.Options{Next: func(p pager.Page[json.RawMessage]) (*http.Request, error) {
					base, err := url.Parse(p.URL)
					if err != nil || len(p.Items) == 0 {
						return nil, err
					}
					ref, err := base.Parse(u)
					return &http.Request{URL: ref}, err
				}}
			},
		})
}

// TestPagesStayWithinOrigins is like TestRequestsStayWithinOrigins and
// TestLongHostsStayOutsideOrigins, but for a pager.
func TestPagesStayWithinOrigins(t *testing.T) {
	for name, client := range clients {
		for _, l := range listings() {
			t.Run(name+", "+l.name, func(t *testing.T) {
				for _, f := range slices.Concat(formsWith(name), long) {
					l.try(t, f, client)
				}
			})
		}
	}
}

func (l listing) try(t *testing.T, f form, client func(*rig) poller.Doer) {
	t.Helper()
	if f.is == secured {
		f.is = ours
		if l.redirect || l.theirs {
			f.is = foreign
		}
	}
	r := &rig{replies: replies{"GET /h": {hostile}}}
	if l.first != nil {
		r.replies["GET /widgets"] = []answer{l.first(f.url)}
	}
	var opts pager.Options
	if l.opts != nil {
		opts = l.opts(f.url)
	}
	opts.Header = http.Header{"Authorization": {"Bearer " + canary}}
	p, err := readPages(t, client(r), &opts)
	r.requireHome(t, "", "%q", f.url)
	switch f.is {
	case stays:
		return
	case ours:
		require.NoError(t, err, "%q", f.url)
		require.NotEmpty(t, r.lastRequestToH(), "%q", f.url)
		return
	}
	require.Empty(t, r.lastRequestToH(), "%q", f.url)
	require.IsType(t, &lroerrors.StatusError{}, err, "%q", f.url)
	require.NotContains(t, err.Error(), "s3cret", "%q", f.url)
	if f.is != foreign {
		return
	}
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, "%q", f.url)
	place, placeErr := p.Place()
	if f.widen == "" || l.redirect || placeErr != nil {
		return
	}
	_, err = readPages(t, client(r), &pager.Options{From: place, Origins: []string{f.widen}, Header: opts.Header})
	require.NoError(t, err, "%q", f.url)
	require.NotEmpty(t, r.lastRequestToH(), "%q", f.url)
}

// readPages reads a listing to the end or the first error.
func readPages(t *testing.T, client poller.Doer, opts *pager.Options) (*pager.Pager[int], error) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, home+"/widgets", http.NoBody)
	require.NoError(t, err)
	p := pager.New[int](req, client, opts)
	for _, err := range p.Pages(t.Context()) {
		if err != nil {
			return p, err
		}
	}
	return p, nil
}
