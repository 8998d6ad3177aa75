package poller_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// Who writes into the JSON that he was given changes no token.
func TestARawResultIsTheCallers(t *testing.T) {
	w := protocols()[1]
	resp := w.began(t)
	defer resp.Body.Close()
	p, err := poller.New[json.RawMessage](resp, repeater{code: 200, body: `{"a":"b"}`}, nil)
	require.NoError(t, err)
	p.WakeUp()
	raw, err := p.PollUntilDone(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"b"}`, string(raw))
	before, err := p.ResumeToken()
	require.NoError(t, err)
	copy(raw, "XXXXXXXX")
	after, err := p.ResumeToken()
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NotPanics(t, func() { _ = append(raw, "more"...) })
}
