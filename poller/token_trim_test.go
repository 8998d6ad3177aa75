package poller_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An operation that could not be followed yet goes on from its token, whatever else
// the answer that began it had in its head and its body.
func TestATokenLeavesOutWhatIsNotNeededToGoOn(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for name, answer := range map[string]string{
		"a long header":  "202\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000) + "\nX-Junk: " + long,
		"a long body":    "202 {\"junk\":\"" + long + "\"}\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000),
		"both, and more": "202 {\"junk\":\"" + long + "\"}\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000) + "\nX-Junk: " + long + "\nX-More: " + long,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {answer},
					get("/op"):         {"202", "200 {}"},
				})
				_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
				require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
				wait, ok := errors.AsType[*lroerrors.WaitError](err)
				require.True(t, ok)
				token, err := wait.ResumeToken()
				require.NoError(t, err)
				require.Less(t, len(token), 64<<10)
				p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin, "https://b.test"}})
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				require.NoError(t, err)
			})
		})
	}
}
