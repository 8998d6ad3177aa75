package poller_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// userInfos contains URLs with user-info, most of them invalid.
var userInfos = []string{
	"https://u:s3cret@home.test/x",
	"https://u:s3cret@home.test/%zz",
	" https://u:s3cret@home.test/x ",
	"\u00a0//u:s3cret@home.test/x",
	" //u:s3cret@home.test/x",
	"https://u:s3cret@home.test:port/",
	"https://u:%zz-s3cret@home.test/",
	"https://u:a/s3cret@home.test/",
	"https://u:a?s3cret@home.test/",
	"https://u:a#s3cret@home.test/%zz",
	"https:u:s3cret@home.test",
	"https:///u:s3cret@home.test",
	"u:s3cret@home.test/x",
	"://u:s3cret@home.test/x",
	"https://u:s3cret@home.test/\x7f",
}

// A resume token never contains the user-info of a URL, even of an invalid one. Neither do errors
// and String. The poller sends nothing to a URL with user-info.
func TestTokenHoldsNoUserInfoOfAnyURL(t *testing.T) {
	quoted := func(link string) string { return strings.ReplaceAll(link, "\x7f", `\u007f`) }
	for _, link := range userInfos {
		doc := `200 {"status":"Succeeded","resourceLocation":"` + quoted(link) + `"}`
		for name, opts := range map[string]*poller.Options{"ARM": nil, "Confirm": {Strategy: poller.Confirm(nil, poller.Check{})}} {
			t.Run("resourceLocation, "+name+", "+link, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := serve(map[string][]reply{"PUT " + resource: {"202\nOperation-Location: " + monitor}, get(monitor): {doc}, get(resource): {widget}})
					p := begin(t, s, http.MethodPut, opts)
					for !p.Done() {
						_, err := p.Poll(t.Context())
						require.NoError(t, err)
						require.NotContains(t, tokenOf(t, p), "s3cret")
					}
					sent := len(s.requests())
					_, err := p.Result(t.Context())
					require.Error(t, err)
					require.NotContains(t, err.Error(), "s3cret")
					require.NotContains(t, p.String()+p.ResultURL()+tokenOf(t, p), "s3cret")
					if !strings.Contains(link, " //") && !strings.Contains(link, "\u00a0//") { // a space before the slashes makes the link a relative path, which the poller may read
						require.Len(t, s.requests(), sent)
					}
				})
			})
		}
		if strings.Contains(link, "\x7f") {
			continue // a header cannot contain this character
		}
		t.Run("first response, "+link, func(t *testing.T) {
			for _, name := range []string{"Location", "Operation-Location", "X-Link"} {
				s := serve(map[string][]reply{"POST " + resource: {"202\n" + name + ": " + link}})
				p, err := poller.Begin[raw](newRequest(t, http.MethodPost, resource), s.client(), nil)
				if err == nil { // the link is a relative path
					require.NotContains(t, tokenOf(t, p), "s3cret")
					continue
				}
				require.NotContains(t, err.Error(), "s3cret")
				if name != "X-Link" || strings.Contains(link, "//u:s3cret@") { // X-Link is not a header for URLs, so the poller masks user-info there only if the value is clearly a URL
					require.NotContains(t, tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable)), "s3cret")
				}
			}
		})
	}
}
