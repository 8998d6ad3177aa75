package poller_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// If the status cannot be read, a resource that was already Succeeded in the first response is the
// result. The poller reads the resource again if it is larger than 16 KiB, because the memo does
// not store such a resource.
func TestLargeEndingIsReadAgain(t *testing.T) {
	const most = 16 << 10
	head, tail := `{"properties":{"provisioningState":"Succeeded"},"text":"`, `"}`
	for size, reads := range map[int]int{most: 0, most + 1: 1} {
		body := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				"PUT " + resource: {"201 " + body + "\nAzure-AsyncOperation: " + monitor},
				get(monitor):      {"503"},
				get(resource):     {widget},
			})
			p := begin(t, s, "PUT", nil)
			require.Less(t, len(tokenOf(t, p)), 2*most)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, reads, count(s.requests(), get(resource)), size)
			if reads > 0 {
				require.Equal(t, widgetMade, describeEnding(v, err))
				return
			}
			require.Equal(t, body, string(v))
		})
	}
}

// If the status cannot be read, and the first response contained a large resource that was Failed,
// the operation ends as Failed. The poller does not read the resource again.
func TestLargeEndingFailed(t *testing.T) {
	body := `{"properties":{"provisioningState":"Failed"},"text":"` + strings.Repeat("x", 16<<10) + `"}`
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {"201 " + body + "\nAzure-AsyncOperation: " + monitor},
			get(monitor):      {"503"},
		})
		p := begin(t, s, "PUT", nil)
		v, err := p.PollUntilDone(t.Context())
		require.Equal(t, "OperationError 201 Failed", describeEnding(v, err))
		require.Equal(t, poller.Failed, p.Status().State)
		require.Zero(t, count(s.requests(), get(resource)))
	})
}
