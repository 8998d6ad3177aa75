package poller_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// A token contains each of the options ResultPointer, Words and FinalStateVia, even if no other
// option is set.
func TestTokenHoldsEachRule(t *testing.T) {
	const status = `200 {"status":"Ready","a":1}`
	for name, row := range map[string]struct {
		opts poller.Options
		poll reply
		want string
	}{
		"ResultPointer": {poller.Options{ResultPointer: "/a"}, `200 {"status":"Succeeded","a":1}`, "1"},
		"Words":         {poller.Options{Words: map[string]poller.State{"Ready": poller.Succeeded}}, status, `{"status":"Ready","a":1}`},
		"FinalStateVia": {poller.Options{FinalStateVia: poller.FinalStateViaOriginalURI}, `200 {"status":"Succeeded"}`, widget[4:]},
		"none":          {poller.Options{}, `200 {"status":"Succeeded","a":1}`, `{"status":"Succeeded","a":1}`},
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {row.poll}, get(resource): {widget}})
			v, err := resume(t, tokenOf(t, begin(t, s, "POST", &row.opts)), s).PollUntilDone(t.Context())
			require.NoError(t, err, name)
			require.JSONEq(t, row.want, string(v), name)
		})
	}
}
