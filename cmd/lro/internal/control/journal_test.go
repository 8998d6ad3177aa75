package control_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/control"
)

// The journal keeps at most 1,000 requests and at most 16 MiB of bodies, headers and URLs. It drops
// the oldest requests first.
func TestJournalIsBounded(t *testing.T) {
	tests := map[string]struct {
		request control.Request
		kept    int
	}{
		"small":   {control.Request{URL: "/a"}, 1000},
		"bodies":  {control.Request{Body: strings.Repeat("x", 4<<20)}, 4},
		"headers": {control.Request{Header: http.Header{"A": {strings.Repeat("x", 1<<20-1)}}}, 16},
		"URLs":    {control.Request{URL: strings.Repeat("x", 1<<20)}, 16},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var j control.Journal
			for n := range 2000 {
				tt.request.N = n + 1
				j.Add(tt.request)
			}
			got := j.Requests()
			require.Len(t, got, tt.kept)
			require.Equal(t, 2000, got[tt.kept-1].N)
			require.Equal(t, 2001-tt.kept, got[0].N)
		})
	}
}

// The journal shows the names of headers that contain credentials, but hides their values.
func TestJournalHidesCredentials(t *testing.T) {
	header := http.Header{}
	secret := []string{"Authorization", "Proxy-Authorization", "X-Ms-Authorization-Auxiliary", "Cookie", "Ocp-Apim-Subscription-Key", "X-Auth-Token", "Iam-Apikey", "X-Client-Secret", "X-Signature"}
	for _, name := range secret {
		header[name] = []string{"precious", "more"}
	}
	header["If-Match"] = []string{`"1"`}
	var j control.Journal
	j.Add(control.Request{Header: header})
	got := j.Requests()[0].Header
	for _, name := range secret {
		require.Equal(t, []string{"(hidden)"}, got[name], name)
	}
	require.Equal(t, []string{`"1"`}, got["If-Match"])
	require.Equal(t, []string{"precious", "more"}, header["Cookie"], "the journal must not change the header of the request")
}
