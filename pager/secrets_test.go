package pager_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// TestNoSecretIsShown checks that no error, log record or String contains a signature or a
// credential, however a listing ends.
func TestNoSecretIsShown(t *testing.T) {
	const signed = "?api-version=1&sig=S3CRET"
	page := `200 {"value": [1, 2], "nextLink": "/2` + signed + `"}`
	echo := `{"error":{"code":"C","message":"GET ` + origin + `/2` + signed + ` with Bearer S3CRET failed"}}`
	for name, second := range map[string]string{
		"end":        `200 {"value": [3]}`,
		"refused":    "403 " + echo,
		"drop":       "drop",
		"not JSON":   "200 oops " + signed,
		"foreign":    `200 {"value": [], "nextLink": "https://u:S3CRET@evil.test/` + signed + `"}`,
		"unparsable": `200 {"value": [], "nextLink": "https://evil.test/%zz` + signed + `"}`,
		"repeated":   page,
		"redirected": "302 \nLocation: https://u:S3CRET@evil.test/" + signed,
	} {
		for _, ahead := range []int{0, 2} {
			var logged bytes.Buffer
			s := serve(map[string][]string{"/widgets" + signed: {page}, "/2" + signed: {second}})
			opts := &pager.Options{
				From:      origin + "/widgets" + signed,
				Header:    http.Header{"Authorization": {"Bearer S3CRET"}},
				Logger:    slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
				ReadAhead: ahead,
			}
			req := newRequest(t, "GET", origin+"/widgets"+signed, "")
			req.Header.Set("Authorization", "Bearer S3CRET")
			p := pager.New[int](req, fakes.Client(s), opts)
			printed := []any{opts, *opts, p}
			for page, err := range p.Pages(t.Context()) {
				printed = append(printed, page, &page, err, p)
			}
			for _, err := range p.All(t.Context()) {
				printed = append(printed, err)
				break
			}
			_, err := p.NextPage(t.Context())
			_, noPlace := p.Place()
			printed = append(printed, p, err, noPlace, pager.New[int](nil, nil, opts), pager.New[int](nil, nil, nil))
			for _, v := range printed {
				for _, format := range []string{"%v", "%+v", "%s"} {
					require.NotContains(t, fmt.Sprintf(format, v), "S3CRET", "%s: %T", name, v)
				}
			}
			require.NotContains(t, logged.String(), "S3CRET")
			require.Contains(t, logged.String(), origin+"/2", "each page is logged")
		}
	}
}

func TestStrings(t *testing.T) {
	s := serve(map[string][]string{"/widgets?api-version=1": {`200 {"value": [1, 2], "count": 2, "nextLink": "/2"}`}, "/2": {`200 {}`}})
	p := newPager[int](t, s, nil)
	require.Equal(t, "pager before "+origin+"/widgets", p.String())
	page, err := p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2 items of "+origin+"/widgets (count 2), and a link to more", page.String())
	page, err = p.NextPage(t.Context())
	require.NoError(t, err)
	require.Equal(t, "0 items of "+origin+"/2", page.String())
	require.Equal(t, "pager at the end", p.String())
	require.Equal(t, "pager before a page that cannot be requested", pager.New[int](nil, nil, nil).String())
	require.Equal(t, "{Items:/v NextLink: Next:false From: Origins:[https://b.test] Header:[A B] MaxPages:1 ReadAhead:2 MaxPageBytes:3 ResponseTimeout:4s}",
		fmt.Sprint(pager.Options{
			Items: "/v", Origins: []string{"https://b.test?x"}, Header: http.Header{"B": nil, "A": {"x"}},
			MaxPages: 1, ReadAhead: 2, MaxPageBytes: 3, ResponseTimeout: 4 * time.Second,
		}))
}
