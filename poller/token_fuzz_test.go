package poller_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// FuzzToken: a text is a token or a named error; a token that is taken can be
// made again, and the second making changes nothing.
func FuzzToken(f *testing.F) {
	for _, seed := range []string{
		`{"lro":1,"method":"PUT","target":"https://a.test/w","poll":"https://a.test/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"nextPoll":"2026-01-01T00:00:00Z"}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"Failed","error":{"code":"C"}}}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"Succeeded"},"result":{"body":"{}"}}`,
		`{"lro":1,"method":"POST","target":"https://a.test/w","status":{"state":"InProgress"},"first":{"url":"https://a.test/w","code":202,"header":{"Location":["/op"]}}}`,
		`{"asyncURL":"https://a.test/op","locURL":"","origURL":"https://a.test/w","method":"PUT","finalState":"","state":"InProgress"}`,
		`{"type":"T","token":{"type":"loc","pollURL":"https://a.test/op","state":"InProgress"}}`,
		`eyJ0eXBlIjoiYm9keSIsInBvbGxVUkwiOiJodHRwczovL2EudGVzdC93In0=`,
		`{"lro":1,"status":{"state":"InProgress"},"poll":"https://evil.test/"}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{}}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{"code":200}}`,
		`{"lro":1,"status":{"state":"InProgress"},"first":{"url":"A://0","code":200}}`,
	} {
		f.Add(seed)
	}
	opts := &poller.Options{Origins: []string{"https://a.test"}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := poller.Resume[json.RawMessage](text, nothing{}, opts)
		if err != nil {
			if !errors.Is(err, lroerrors.ErrBadToken) && !errors.Is(err, lroerrors.ErrForeignOrigin) {
				require.IsType(t, &lroerrors.WaitError{}, err)
			}
			return
		}
		first, err := p.ResumeToken()
		if err != nil {
			require.Contains(t, err.Error(), "the limit is 65536")
			return
		}
		again, err := poller.Resume[json.RawMessage](first, nothing{}, opts)
		require.NoError(t, err, first)
		require.Equal(t, p.Done(), again.Done())
		require.Equal(t, p.Status().State, again.Status().State)
		second, err := again.ResumeToken()
		require.NoError(t, err)
		require.Equal(t, first, second)
	})
}
