package poller_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// If the service refuses a read because the Location lacks the api-version, the operation can be
// resumed with KeepAPIVersion.
func TestKeepAPIVersionAfterRefusal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Style: fakes.Location}}
		svc.Quirk(quirks.LocationUnversioned, resource)
		client := fakes.Client(svc)
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource+"?api-version=1"), client, nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		token, err := waitOf(t, err, lroerrors.ReasonRefused).ResumeToken()
		require.NoError(t, err)

		opts := *trusted
		opts.Strategy = arm.KeepAPIVersion(arm.Location)
		again, err := poller.Resume[raw](token, client, &opts)
		require.NoError(t, err)
		v, err := again.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Contains(t, string(v), `"name":"w1"`)
	})
}

// KeepAPIVersion does not change a URL with another host or with an api-version. If the first
// request has no api-version, KeepAPIVersion changes no URL at all.
func TestKeepAPIVersionElsewhere(t *testing.T) {
	for _, tt := range []struct{ target, poll string }{
		{"?api-version=1", "https://b.test/op"},
		{"?api-version=1", origin + "/op?API-version=2"},
		{"?api-version=1", origin + "/op?api%2Dversion=2"},
		{"", origin + "/op"},
		{"?api-versions=1", origin + "/op?t=1"},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {"202\nLocation: " + tt.poll}, get("/op"): {"200 1"}})
			var urls []string
			p, err := poller.Begin[raw](newRequest(t, "POST", resource+tt.target), doerFunc(func(req *http.Request) (*http.Response, error) {
				urls = append(urls, req.URL.String())
				return s.client().Do(req)
			}), &poller.Options{Strategy: arm.KeepAPIVersion(nil), Origins: []string{"https://b.test"}})
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.poll, urls[1])
		})
	}
}
