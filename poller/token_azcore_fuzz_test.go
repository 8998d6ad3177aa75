package poller_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// FuzzAzcoreToken checks that all encodings of an azcore token mean the same. The state in the
// token must not end the operation, and the first request must go to the token's polling URL.
func FuzzAzcoreToken(f *testing.F) {
	for _, seed := range []string{
		`{"asyncURL":"https://a.test/op","locURL":"https://a.test/l","origURL":"https://a.test/w","method":"PUT","finalState":"","state":"Succeeded"}`,
		`{"oplocURL":"https://a.test/op","locURL":"","origURL":"https://a.test/w","method":"post","finalState":"Location","resultPath":"a.b","state":"Failed"}`,
		`{"type":"body","pollURL":"https://a.test/w","state":"Creating"}`, `{"type":"loc","pollURL":"https://a.test/w?x#y","state":"Canceled"}`,
		`{"asyncURL":"https://evil.test/op"}`, `{"asyncURL":"/op","origURL":"https://a.test/"}`, `{"asyncURL":"https://a.test/op","origURL":"w"}`, `{"asyncURL":5}`, `{}`, `{"asyncURL":"https://a.test/op?a=~~~???>>>"}`,
		`{"type":"body","oplocURL":"https://a.test/op","pollURL":"https://a.test/w"}`, `{"type":"x","oplocURL":"https://a.test/op","pollURL":"https://a.test/w"}`,
		`{"ASYNCURL":"https://A.test:443/op"}`, `{"asyncURL":"https://u@a.test/op"}`, `{"type":"body","pollURL":"http://a.test/"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, inner string) {
		m, ok := membersOf([]byte(inner))
		_, ours := m.find("lro")
		_, wrapped := m.find("token")
		if !ok || ours || wrapped || len(inner) > 16<<10 {
			return
		}
		outer := `{"type":"SomeClientResponse","token":` + inner + `}`
		want, wantErr := firstAsked(t, inner)
		for _, text := range []string{
			outer, base64.StdEncoding.EncodeToString([]byte(inner)), base64.RawURLEncoding.EncodeToString([]byte(outer)), `"` + base64.URLEncoding.EncodeToString([]byte(outer)) + `"`,
			`{"token":"` + base64.StdEncoding.EncodeToString([]byte(inner)) + `"}`, " " + outer + "\n",
		} {
			got, err := firstAsked(t, text)
			require.Equal(t, errors.Is(wantErr, lroerrors.ErrBadToken), errors.Is(err, lroerrors.ErrBadToken), text)
			require.Equal(t, errors.Is(wantErr, lroerrors.ErrForeignOrigin), errors.Is(err, lroerrors.ErrForeignOrigin), text)
			require.Equal(t, want, got, text)
		}
		if wantErr == nil && !m.isNull("asyncURL") && !m.isNull("oplocURL") && !m.isNull("pollURL") && !m.isNull("type") { // polledBy does not handle null
			u, err := url.Parse(polledBy(m))
			require.NoError(t, err)
			require.Equal(t, u.String(), want)
		}
	})
}

// polledBy returns the polling URL in an azcore token. azcore ignores case only in the member name
// pollURL.
func polledBy(m members) string {
	poll, _ := m.find("pollURL")
	if async := m.exactly("asyncURL"); async != nil && async != "" {
		poll = async
	} else if kind := m.exactly("type"); kind != "body" && kind != "loc" {
		poll = m.exactly("oplocURL")
	}
	text, _ := poll.(string)
	return text
}

// exactly returns the value of the last member with this name. Case matters.
func (m members) exactly(name string) (value any) {
	for _, member := range m {
		if member.name == name {
			value = member.value
		}
	}
	return value
}

// firstAsked resumes a poller from a token and returns the first URL that it requests.
func firstAsked(t *testing.T, text string) (asked string, err error) {
	t.Helper()
	p, err := poller.Resume[raw](text, doer(func(req *http.Request) (*http.Response, error) {
		asked = req.URL.String()
		return &http.Response{StatusCode: http.StatusAccepted, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
	}), fuzzTrust)
	if err != nil {
		requireNamed(t, err)
		return "", err
	}
	require.False(t, p.Done(), "a terminal state in the token must not end the operation")
	_, _ = p.Poll(t.Context())
	require.NotEmpty(t, asked)
	again, err := p.ResumeToken()
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(again)))
	return asked, nil
}
