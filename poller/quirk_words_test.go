package poller_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

var quirksOfWords = []quirkCase{
	{
		quirk: quirks.RunningWords, plan: fakes.Plan{Polls: 30},
		want: quirkEnding{made, 31 * time.Minute, 33},
	},
	{
		quirk: quirks.RunningWords, plan: fakes.Plan{Polls: 30, Style: fakes.ProvisioningState},
		want: quirkEnding{made, 31 * time.Minute, 32},
	},
	{
		quirk: quirks.SuccessWords, within: 24 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress "Ready" after 1440 polls, our pause`, lastOfTheDay, 1441},
		option: "Words",
		opts:   &poller.Options{Words: map[string]poller.State{"Ready": poller.Succeeded}},
		with:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Ready","size":1},"type":"widgets"}`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.SuccessWords, method: "DELETE", within: 24 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress "Deleted" after 1440 polls, our pause`, lastOfTheDay, 1441},
		option: "Words",
		opts:   &poller.Options{Words: map[string]poller.State{"Deleted": poller.Succeeded}},
		with:   quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.FailureWords, plan: failing,
		want:   quirkEnding{`OperationError 200 Failed "CreateFailed": OverQuota: no widgets left`, 3 * time.Minute, 4},
		option: "Words",
		opts:   &poller.Options{Words: map[string]poller.State{"CreateFailed": poller.Failed}},
		with:   quirkEnding{`OperationError 200 Failed "CreateFailed": OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.CanceledWords, plan: fakes.Plan{Ending: fakes.Canceled},
		want: quirkEnding{`OperationError 200 Canceled "Cancelled": Canceled: The operation was canceled.`, 3 * time.Minute, 4},
	},
}

func TestQuirksOfWords(t *testing.T) { testQuirks(t, quirksOfWords) }

// By default, these words end an operation: the specification's words, common variants of them, and
// any word that ends in "failed" and comes with an error.
func TestVocabulary(t *testing.T) {
	tests := []struct {
		quirk  quirks.Quirk
		method string
		ending fakes.Ending
		means  poller.State
		words  string // the service's words; a + marks a word that ends an operation only if Options.Words contains it
	}{
		{quirks.SuccessWords, "PUT", fakes.Succeeded, poller.Succeeded, "+Ready Completed +Created +Updated +Provisioned +Available +PartiallySucceeded succeeded"},
		{quirks.SuccessWords, "DELETE", fakes.Succeeded, poller.Succeeded, "+Deleted +Deprovisioned"},
		{quirks.FailureWords, "PUT", fakes.Failed, poller.Failed, "CreateFailed failed UpdatedFailed DeleteFailed StorageProvisioningFailed +TransientFailure"},
		{quirks.CanceledWords, "PUT", fakes.Canceled, poller.Canceled, "Cancelled canceled"},
	}
	for _, tt := range tests {
		for _, hasWord := range []bool{false, true} {
			bubble(t, func(t *testing.T) {
				svc := &fakes.Service{Default: fakes.Plan{Polls: -1, Ending: tt.ending}}
				svc.Quirk(tt.quirk, "")
				for i, word := range strings.Fields(tt.words) {
					word, unusual := strings.CutPrefix(word, "+")
					opts := &poller.Options{}
					if hasWord {
						opts.Words = map[string]poller.State{word: tt.means}
					}
					path := fmt.Sprint(resource, i)
					if tt.method == http.MethodDelete {
						svc.Put(path, struct{}{})
					}
					p, err := poller.Begin[raw](quirkRequest(t, tt.method, path), fakes.Client(svc), opts)
					require.NoError(t, err)
					st, err := p.Poll(t.Context())
					require.NoError(t, err)
					require.Equal(t, word, st.Word)
					if unusual && !hasWord {
						require.Equal(t, poller.InProgress, st.State, word)
						continue
					}
					require.Equal(t, tt.means, st.State, word)
				}
			})
		}
	}
}

// While an operation is in progress, Status.Word contains the service's word unchanged.
func TestQuirkRunningWords(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Polls: 15}}
		svc.Quirk(quirks.RunningWords, resource)
		p, err := poller.Begin[raw](quirkRequest(t, http.MethodPut, ""), fakes.Client(svc), nil)
		require.NoError(t, err)
		var words []string
		for st, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			words = append(words, st.Word)
		}
		require.Equal(t, "Accepted Accepted Creating Provisioning Updating Deleting Moving Running InProgress Pending NotSpecified Unknown "+
			"RolloutInProgress Dropping Suspended Disabled Succeeded", strings.Join(words, " "))
	})
}
