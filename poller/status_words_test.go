package poller_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// The poller masks a credential in a status word wherever it shows or stores the word.
// Options.Words, Confirm and CrossCheck still see the original word.
func TestWordsAreMasked(t *testing.T) {
	const secret = "password=S3CRET"
	words := map[string]poller.State{"ready " + secret: poller.Succeeded, "broken " + secret: poller.Failed}
	status := func(word string) string {
		return `200 {"status":"` + word + `","id":"/ops/1?sig=S3CRET","name":"n ` + secret + `","error":{"code":"C ` + secret + `","message":"m ` + secret +
			`","innererror":{"a":"` + secret + `"},"additionalInfo":[{"type":"t ` + secret + `","info":{"password":"S3CRET"}}]},` +
			`"operations":[{"name":"n ` + secret + `","status":"s ` + secret + `"}]}`
	}
	for name, strategy := range map[string]poller.Strategy{
		"ARM": nil, "Confirm": poller.Confirm(nil, poller.Check{}), "CrossCheck": poller.CrossCheck(nil, poller.Check{After: time.Nanosecond}),
	} {
		for _, ending := range []string{"Ready", "Broken"} {
			t.Run(name+", "+ending, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var logged bytes.Buffer
					s := serve(map[string][]reply{
						"PUT " + resource: {accepted + "\nX-Ms-Request-Id: " + secret},
						get(monitor):      {status("Waiting " + secret), status(ending + " " + secret)},
						get(resource):     {`200 {"properties":{"provisioningState":"Creating"}}`, widget},
					})
					p := begin(t, s, http.MethodPut, &poller.Options{
						Strategy: strategy, Words: words, Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
					})
					seen := 0
					for st, err := range p.Updates(t.Context()) {
						require.NoError(t, err)
						b, err := json.Marshal(st)
						require.NoError(t, err)
						require.NotContains(t, fmt.Sprintf("%v %+v %s %s", st, st, st.String(), b), "S3CRET")
						require.NotContains(t, p.String()+tokenOf(t, p), "S3CRET")
						if strings.Contains(st.Word, "password=REDACTED") {
							seen++
						}
					}
					require.GreaterOrEqual(t, seen, 2)
					_, err := p.PollUntilDone(t.Context())
					if ending == "Broken" {
						requireFailed(t, err, "C password=REDACTED")
						b, err := json.Marshal(err)
						require.NoError(t, err)
						require.NotContains(t, string(b), "S3CRET")
					} else {
						require.NoError(t, err)
					}
					require.NotContains(t, logged.String(), "S3CRET")
					require.Contains(t, logged.String(), "password=REDACTED")
				})
			})
		}
	}
}

// A credential in an error response is masked in the fields of the StatusError, not only in its
// text.
func TestStatusErrorDetailIsMasked(t *testing.T) {
	s := serve(map[string][]reply{"POST " + resource: {`409 {"error":{"code":"C","message":"GET https://u:S3CRET@a.test/?sig=S3CRET","innererror":{"api-key":"S3CRET"}}}`}})
	_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
	require.IsType(t, &lroerrors.StatusError{}, err)
	b, jsonErr := json.Marshal(err)
	require.NoError(t, jsonErr)
	require.NotContains(t, string(b), "S3CRET")
	require.Contains(t, string(b), `{"api-key":"REDACTED"}`)
}

// The poller limits the total size of all strings in a status.
func TestStatusTextsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		text := strings.Repeat("x", 900)
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {
			`200 {"status":"Running","operations":[` + list(1000, `{"name":"`+text+`","error":{"code":"`+text+`","innererror":"`+text+`"}}`) + `]}`,
		}})
		st, err := begin(t, s, "POST", nil).Poll(t.Context())
		require.NoError(t, err)
		require.Len(t, st.Operations, 1000)
		require.Equal(t, text, st.Operations[0].Name)
		require.Equal(t, "…", st.Operations[999].Name)
		b, err := json.Marshal(st)
		require.NoError(t, err)
		require.Less(t, len(b), 256<<10+1000*100)
	})
}
