package poller_test

import (
	"encoding/base64"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestAzcoreTokens(t *testing.T) {
	const u = origin
	rows := []struct {
		name, inner string
		replies     map[string][]reply
		want        string
	}{
		{
			"async PUT", `{"asyncURL":"` + u + `/op","locURL":"","origURL":"` + u + `/w","method":"PUT","finalState":"","state":"InProgress"}`,
			map[string][]reply{get("/op"): {running, succeeded}, get("/w"): {"200 1"}},
			"1",
		},
		{
			"async POST, Location", `{"asyncURL":"` + u + `/op","locURL":"` + u + `/loc","origURL":"` + u + `/w","method":"POST","finalState":"location","state":"InProgress"}`,
			map[string][]reply{get("/op"): {succeeded}, get("/loc"): {"200 2"}},
			"2",
		},
		{
			"async POST, the document", `{"asyncURL":"` + u + `/op","locURL":"` + u + `/loc","origURL":"` + u + `/w","method":"POST","finalState":"azure-async-operation","state":"InProgress"}`,
			map[string][]reply{get("/op"): {succeeded}},
			`{"status":"Succeeded"}`,
		},
		{
			"a terminal state is not believed", `{"asyncURL":"` + u + `/op","locURL":"","origURL":"` + u + `/w","method":"PATCH","finalState":"","state":"Succeeded"}`,
			map[string][]reply{get("/op"): {running, succeeded}, get("/w"): {"200 3"}},
			"3",
		},
		{
			"op", `{"oplocURL":"` + u + `/op","locURL":"","origURL":"` + u + `/w","method":"PUT","finalState":"","resultPath":"","state":"running"}`,
			map[string][]reply{get("/op"): {`200 {"status":"succeeded","resourceLocation":"/r"}`}, get("/r"): {"200 4"}},
			"4",
		},
		{
			"op, result in a member", `{"oplocURL":"` + u + `/op","locURL":"","origURL":"` + u + `/w","method":"POST","finalState":"operation-location","resultPath":"re.sult","state":"running"}`,
			map[string][]reply{get("/op"): {`200 {"status":"succeeded","re.sult":5}`}},
			"5",
		},
		{
			"body", `{"type":"body","pollURL":"` + u + `/w","state":"Creating"}`,
			map[string][]reply{get("/w"): {`200 {"properties":{"provisioningState":"Creating"}}`, `200 {"a":6}`}},
			`{"a":6}`,
		},
		{
			"loc", `{"type":"loc","pollURL":"` + u + `/loc","state":"InProgress"}`,
			map[string][]reply{get("/loc"): {"202", "200 7"}},
			"7",
		},
		{
			"loc, next to a name that azcore spells differently", `{"type":"loc","asyncurl":"` + u + `/op","pollURL":"` + u + `/loc"}`,
			map[string][]reply{get("/loc"): {"202", "200 8"}},
			"8",
		},
	}
	for _, row := range rows {
		outer := `{"type":"SomeClientResponse","token":` + row.inner + `}`
		inBase64 := base64.StdEncoding.EncodeToString([]byte(row.inner))
		for kind, token := range map[string]string{
			"raw": row.inner, "wrapped": outer,
			"base64":         base64.StdEncoding.EncodeToString([]byte(outer)),
			"base64 for URL": base64.RawURLEncoding.EncodeToString([]byte(outer)),
			"inner base64":   `{"type":"SomeClientResponse","token":"` + inBase64 + `"}`,
		} {
			t.Run(row.name+", "+kind, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					replies := map[string][]reply{}
					maps.Copy(replies, row.replies)
					s := serve(replies)
					_, err := poller.Resume[raw](token, s.client(), nil)
					require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
					p := resume(t, token, s)
					require.False(t, p.Done())
					require.False(t, p.NextPoll().After(time.Now()), "the next read must be due at once")
					p = resume(t, tokenOf(t, p), s) // resume again, from a token in this package's own format
					v, err := p.PollUntilDone(t.Context())
					require.NoError(t, err)
					require.JSONEq(t, row.want, string(v))
				})
			})
		}
	}
}
