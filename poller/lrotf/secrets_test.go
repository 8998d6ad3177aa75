package lrotf_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf"
)

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

// Errors from Get, and their diagnostics, omit the URL's query and user info.
func TestNoSecretIsShown(t *testing.T) {
	svc := &fakes.Service{}
	svc.Put("/widgets/html", map[string]any{})
	svc.Fault(fakes.Fault{Path: "/widgets/html", Do: fakes.Respond(http.StatusOK, "not JSON")})
	for path, client := range map[string]poller.Doer{
		"/widgets/none":   fakes.Client(svc),
		"/widgets/html":   fakes.Client(svc),
		"/widgets/lost":   &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("reset") })},
		"/widgets/quoted": doer(func(req *http.Request) (*http.Response, error) { return nil, fmt.Errorf("no route to %s", req.URL) }),
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://u:SECRET@a.test"+path+"?sig=SECRET", http.NoBody)
		require.NoError(t, err)
		_, _, err = lrotf.Get[widget](req, client, nil)
		require.Error(t, err, path)
		for _, d := range lrotf.Diagnose(t.Context(), "Reading", err, nil) {
			require.NotContains(t, d.Summary()+d.Detail()+err.Error(), "SECRET", path)
			require.Contains(t, d.Detail()+err.Error(), path)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }
