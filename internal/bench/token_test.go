package bench

import (
	"net/http"
	"testing"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

// maxToken is the maximum length in bytes that TestToken allows.
const maxToken = 700

// tokenLine compares token lengths after one read of a status document whose id differs from the
// status URL.
func tokenLine(t *testing.T) line {
	t.Helper()
	client := &http.Client{Transport: newFresh(2)}
	ours, err := poller.New[widget](newBeginResponse(t.Context(), t, 0, "3600"), client, nil) //nolint:bodyclose // in memory
	must(t, err)
	_, err = ours.Poll(t.Context())
	must(t, err)
	ourToken, err := ours.ResumeToken()
	must(t, err)

	theirs, err := azruntime.NewPoller[widget](newBeginResponse(t.Context(), t, 0, "3600"), fullPipeline(client), nil) //nolint:bodyclose // in memory
	must(t, err)
	_, err = theirs.Poll(t.Context()) //nolint:bodyclose // azcore has read the body
	must(t, err)
	theirToken, err := theirs.ResumeToken()
	must(t, err)
	return line{"token", "a token after a read", []metric{
		{name: "bytes", write: unit("%.0f bytes"), of: map[string]float64{lro: float64(len(ourToken)), azcore: float64(len(theirToken))}},
	}}
}

func TestToken(t *testing.T) {
	if got := tokenLine(t).metrics[0].of[lro]; got > maxToken {
		t.Errorf("the token has %.0f bytes, limit %d", got, maxToken)
	}
}
