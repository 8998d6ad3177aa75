package poller_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// If several responses have a Location, the poller reads the result from the last Location, even if
// another process resumes the operation midway.
func TestLastLocationNamesResult(t *testing.T) {
	for _, again := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				"POST " + resource: {accepted + "\nLocation: /first"},
				get(monitor):       {running + "\nLocation: /second", running, succeeded},
				get("/second"):     {"200 2"},
			})
			p := begin(t, s, "POST", nil)
			for !p.Done() {
				if again {
					p = resume(t, tokenOf(t, p), s)
				}
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
			}
			v, err := p.Result(t.Context())
			require.NoError(t, err)
			require.Equal(t, "2", string(v))
		})
	}
}

// If the body of a 400, 402, 409, 412 or 422 from a Location is empty, plain text or valid JSON,
// the response may come from the service, so the operation ends as Failed. HTML or broken JSON
// comes from a gateway, so the wait continues.
func TestGatewayErrorAtLocation(t *testing.T) {
	for _, code := range []string{"400", "402", "409", "412", "422"} {
		for body, ends := range map[string]bool{
			"<html>": false, " <!DOCTYPE html>": false, `{"error":`: false, `{"error":{}}}`: false, "[": false, `"no`: false,
			"": true, "no": true, "null": true, `"no"`: true, "[1]": true, `{"error":{"code":"C"}}`: true,
		} {
			s := serve(map[string][]reply{"PUT " + resource: {acceptedAt}, get(monitor): {code + " " + body, `409 {"error":{"code":"Own"}}`}})
			p := begin(t, s, "PUT", nil)
			st, err := p.Poll(t.Context())
			if ends {
				require.NoError(t, err, body)
				require.Equal(t, poller.Failed, st.State)
				continue
			}
			require.IsType(t, &lroerrors.StatusError{}, err, "%s %s", code, body)
			require.Equal(t, poller.InProgress, st.State)
			st, err = p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, "Own", st.Detail.Code)
		}
	}
}
