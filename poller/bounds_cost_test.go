//go:build !race

package poller_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// The tests in this file do not run under the race detector, because it makes sync.Pool discard
// objects, and encoding/json then allocates more.

// Reading a status allocates less than forty times the size of the body, regardless of its
// structure.
func TestLargeStatusMemory(t *testing.T) {
	var members strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&members, `"%x":0,`, i)
	}
	for name, tt := range map[string]struct{ doc, keeps string }{
		"members":                  {`{"status":"Running",` + members.String() + `"":0}`, ""},
		"properties":               {`{"status":"Running",` + list(250_000, `"properties":{}`) + `}`, ""},
		"lists of operations":      {`{"status":"Running",` + list(30_000, `"operations":[{},{},{},{},{},{},{},{},{},{}]`) + `}`, ""},
		"errors of operations":     {`{"status":"Failed","operations":[` + list(1000, `{"error":{"details":[`+list(1000, "1")+`]}}`) + `]}`, "1"},
		"additions in operations":  {`{"status":"Running","operations":[` + list(1000, `{"error":{"code":7,"additionalInfo":[`+list(1000, "1")+`]}}`) + `]}`, ""},
		"additions of details":     {`{"status":"Failed","error":{"code":7,"details":[` + list(1000, `{"code":7,"additionalInfo":[`+list(1000, "1")+`]}`) + `]}}`, "7"},
		"operations within others": {`{"status":"Running","operations":[` + list(1000, `{"operations":[`+list(1000, "{}")+`]}`) + `]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"200 " + tt.doc}})
				p := begin(t, s, "POST", &poller.Options{MaxStatusBytes: 16 << 20})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				st, err := p.Poll(t.Context())
				runtime.ReadMemStats(&after)
				require.NoError(t, err)
				require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(tt.doc)), uint64(40), "the read must not allocate so many bytes for each byte of the body")
				if tt.keeps != "" {
					require.Equal(t, poller.Failed, st.State)
					require.Contains(t, st.Detail.Error(), tt.keeps)
				}
			})
		})
	}
}

// When the poller checks whether a large body from a Location is an operation document, it
// allocates less than ten times the size of the body.
func TestLargeLocationBodyMemory(t *testing.T) {
	var members strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&members, `,"%x":0`, i)
	}
	body := `{"status":"Running"` + members.String() + `}`
	s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"200 " + body}})
	p := begin(t, s, "POST", nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	st, err := p.Poll(t.Context())
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, poller.Succeeded, st.State, "the body is a resource, although it has a member named status")
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(body)), uint64(10), "the read must not allocate so many bytes for each byte of the body")
}
