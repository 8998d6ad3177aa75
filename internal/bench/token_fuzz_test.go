package bench

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// The type anything is the result type in this test. Its name is part of each azcore token.
type anything struct{}

// A recorder is a service that records its requests. Its operation never ends.
type recorder struct{ asked []string } // method and URL of each request

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	r.asked = append(r.asked, req.Method+" "+req.URL.String())
	return &http.Response{
		StatusCode: http.StatusAccepted, Header: http.Header{}, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"status":"InProgress","properties":{"provisioningState":"Updating"}}`)),
	}, nil
}

// FuzzAzcoreResume checks that lro, when it resumes from a token of azcore, first reads the same
// URL as azcore. lro may reject malformed tokens and disallowed origins.
func FuzzAzcoreResume(f *testing.F) {
	f.Add(`{"asyncURL":"https://a.test/op?api-version=1","locURL":"","origURL":"https://a.test/w","method":"PUT","finalState":"","state":"InProgress"}`)
	f.Add(`{"asyncURL":"https://a.test/op","locURL":"https://a.test/l","origURL":"https://a.test/w","method":"POST","finalState":"location","state":"Succeeded"}`)
	f.Add(`{"oplocURL":"https://a.test/op","locURL":"","origURL":"https://a.test/w","method":"PATCH","finalState":"","resultPath":"","state":"running"}`)
	f.Add(`{"type":"body","pollURL":"https://a.test/w","state":"Creating"}`)
	f.Add(`{"type":"loc","pollURL":"https://a.test/w","state":"InProgress"}`)
	f.Add(`{"asyncURL":""}`)
	f.Add(`{"asyncURL":5}`)
	f.Add(`{"type":"loc","asyncURL":"https://a.test/op","pollURL":"https://a.test/w"}`)
	f.Add(`{"asyncURL":"https://evil.test/op"}`)
	f.Add(`{"type":"body","oplocURL":"https://a.test/op","pollURL":"https://a.test/w"}`)
	f.Add(`{"fakeURL":"https://a.test/"}`)
	f.Fuzz(func(t *testing.T, inner string) {
		text := `{"type":"anything","token":` + inner + `}`
		theirs, theirErr := azruntime.NewPollerFromResumeToken[anything](text, barePipeline(new(recorder)), nil)
		service := &recorder{}
		ours, err := poller.Resume[json.RawMessage](text, service, &poller.Options{Origins: []string{"https://a.test"}})
		if len(service.asked) > 0 {
			t.Fatalf("Resume sent requests: %v", service.asked)
		}
		named := errors.Is(err, lroerrors.ErrBadToken) || errors.Is(err, lroerrors.ErrForeignOrigin)
		switch {
		case err != nil && !named:
			t.Fatalf("Resume returned an error of no known kind: %v", err)
		case theirErr != nil || theirs.Done():
			return
		}
		asked := firstAskedBy(t, inner)
		if err != nil {
			if legitimate(asked, inner) {
				t.Fatalf("azcore requests %v, and lro returns %v", asked, err)
			}
			return
		}
		if ours.Done() {
			t.Fatal("Resume returned an operation that has ended")
		}
		_, _ = ours.Poll(t.Context())
		if len(asked) > 0 && asked[0] != service.asked[0] {
			t.Fatalf("azcore requests %s, and lro requests %s", asked[0], service.asked[0])
		}
	})
}

// firstAskedBy returns the requests that azcore sends for its first poll after resuming from a
// token.
func firstAskedBy(t *testing.T, inner string) []string {
	t.Helper()
	service := &recorder{}
	p, err := azruntime.NewPollerFromResumeToken[anything](`{"type":"anything","token":`+inner+`}`, barePipeline(service), nil)
	must(t, err)
	if resp, err := p.Poll(t.Context()); err == nil {
		resp.Body.Close()
	}
	return service.asked
}

// legitimate reports whether lro must accept a token. It returns false if azcore sends no request
// or if a URL has an origin that is not allowed.
func legitimate(asked []string, inner string) bool {
	var urls struct{ OrigURL, PollURL, AsyncURL, OpLocURL string }
	if len(asked) == 0 || json.Unmarshal([]byte(inner), &urls) != nil {
		return false
	}
	for _, raw := range append([]string{strings.TrimPrefix(asked[0], "GET ")}, urls.OrigURL) {
		u, err := url.Parse(raw)
		if raw != "" && (err != nil || u.Scheme != "https" || u.Host != "a.test" || u.User != nil) {
			return false
		}
	}
	// lro may reject a token with "method", because the method may be invalid. It may also reject
	// one with "lro", which marks lro's own tokens, or with "fakeURL", which marks the tokens of
	// azcore's fake servers.
	return !strings.Contains(inner, "method") && !strings.Contains(inner, "lro") && !strings.Contains(inner, "fakeURL")
}
