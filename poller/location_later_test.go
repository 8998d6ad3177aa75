package poller_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The Location that names the result is the one given last: a later header of the same
// kind replaces the URL, in a token too.
func TestTheLastLocationIsThatOfTheResult(t *testing.T) {
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
