package lrotf_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// The log has a line for the initial status and for each read.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: 2, Percent: true, Words: []string{"Digging", "Building"}, RetryAfter: 5 * time.Minute})
		r.svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.HTML(200)})
		var log bytes.Buffer
		start := time.Now()
		_, err := r.Apply(tflogtest.RootLogger(t.Context(), &log), w1(1))
		require.NoError(t, err)
		records, err := tflogtest.MultilineJSONDecode(&log)
		require.NoError(t, err)

		var seen []string
		for _, record := range records {
			if state, ok := record["state"].(string); ok {
				require.Equal(t, `widget "w1"`, record["resource"])
				seen = append(seen, record["@level"].(string)+" "+state)
				if len(seen) == 2 {
					require.InDelta(t, 33, record["percent"], 0)
					require.Equal(t, start.Add(10*time.Minute).Format(time.RFC3339), record["next_poll"])
				}
			}
		}
		require.Equal(t, []string{"info Digging", "info Digging", "warn Digging", "info Building", "info Succeeded"}, seen)
	})
}
