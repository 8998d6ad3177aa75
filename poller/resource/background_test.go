package resource_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

// background follows a background response of the OpenAI API. The body contains no URL, only the
// response's ID.
var background = resource.Strategy{
	Failed: []string{"failed", "incomplete"},
	URL:    func(a strategy.Answer) (string, error) { return "/v1/responses/" + url.PathEscape(a.Text("/id")), nil },
}

// The fields of a Strategy suffice to follow a service that the package does not know.
func TestBackgroundResponse(t *testing.T) {
	for word, want := range map[string]string{
		"completed":  "",
		"incomplete": "lro: operation Failed (\"incomplete\"): max_output_tokens",
		"cancelled":  "lro: operation Canceled (\"cancelled\"): max_output_tokens",
	} {
		synctest.Test(t, func(t *testing.T) {
			words := []string{"queued", "in_progress", word}
			var asked []string
			client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.Method+" "+r.URL.Path)
				_, _ = fmt.Fprintf(w, `{"id":"resp_1","status":%q,"error":{"code":"max_output_tokens"}}`, words[len(asked)-1])
			}))
			start := time.Now()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://api.example.test/v1/responses", http.NoBody)
			require.NoError(t, err)
			p, err := poller.Begin[struct{ ID string }](req, client, &poller.Options{Strategy: background})
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, "resp_1", v.ID)
			} else {
				require.EqualError(t, err, want)
			}
			require.Equal(t, []string{"POST /v1/responses", "GET /v1/responses/resp_1", "GET /v1/responses/resp_1"}, asked)
			require.Equal(t, 2*time.Minute, time.Since(start))
		})
	}
}

// Read needs only the response, not the request or a memo.
func TestRead(t *testing.T) {
	r := resource.Strategy{Status: "/state", Percent: "/done"}
	mv, err := r.Read(strategy.Answer{Code: 200, Body: []byte(`{"state":"succeeded","done":99,"poll_after":7}`)})
	require.NoError(t, err)
	require.Equal(t, strategy.Succeeded, mv.Status.State)
	require.Equal(t, 99.0, *mv.Status.PercentComplete)
	require.Equal(t, 7*time.Second, mv.After)
	require.JSONEq(t, `{"state":"succeeded","done":99,"poll_after":7}`, string(mv.Result.Body))
	require.Nil(t, mv.Memo)

	for code, want := range map[int]error{200: strategy.ErrNoStatus, 202: nil, 404: strategy.ErrNoStatus} {
		mv, err = r.Read(strategy.Answer{Code: code, Body: []byte(`{"status":"failed"}`)})
		require.ErrorIs(t, err, want, "%d", code)
		require.NotEqual(t, strategy.Failed, mv.Status.State)
	}
}
