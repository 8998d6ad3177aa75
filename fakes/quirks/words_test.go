package quirks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestRunningWords(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{Polls: 17}}
	svc.Quirk(quirks.RunningWords, widget)
	c := newTester(t, svc)
	require.Equal(t, "Accepted", c.do(http.MethodPut, widget, "").status())
	var words []string
	for range 18 {
		words = append(words, c.get(statusURL).status())
	}
	require.Equal(t, "Accepted Creating Provisioning Updating Deleting Moving Running InProgress Pending NotSpecified Unknown "+
		"RolloutInProgress Dropping Suspended Disabled Accepted Creating Succeeded", strings.Join(words, " "))
}

// Each operation ends with the next word in the list. The resource shows the same word.
func TestEndWords(t *testing.T) {
	tests := []struct {
		quirk  quirks.Quirk
		ending fakes.Ending
		words  string
	}{
		{quirks.SuccessWords, fakes.Succeeded, "Ready Completed Created Updated Provisioned Available PartiallySucceeded succeeded Ready"},
		{quirks.FailureWords, fakes.Failed, "CreateFailed failed UpdatedFailed DeleteFailed StorageProvisioningFailed TransientFailure CreateFailed"},
		{quirks.CanceledWords, fakes.Canceled, "Cancelled canceled Cancelled"},
		{quirks.SuccessWords, fakes.Failed, "Failed Failed"},
		{quirks.FailureWords, fakes.Succeeded, "Succeeded Succeeded"},
	}
	for _, tt := range tests {
		svc := &fakes.Service{Default: fakes.Plan{Polls: -1, Ending: tt.ending}}
		svc.Quirk(tt.quirk, "")
		c := newTester(t, svc)
		for i, word := range strings.Fields(tt.words) {
			path := fmt.Sprint(widget, i)
			r := c.get(c.do(http.MethodPut, path, "").header.Get("Azure-AsyncOperation"))
			require.Equal(t, word, r.status(), tt.quirk)
			require.Equal(t, word, c.get(path).status(), tt.quirk)
		}
	}
}

func TestDeleteSuccessWords(t *testing.T) {
	svc := &fakes.Service{Default: atOnce}
	svc.Quirk(quirks.SuccessWords, "")
	c := newTester(t, svc)
	for _, word := range []string{"Deleted", "Deprovisioned", "Deleted"} {
		svc.Put(widget, struct{}{})
		r := c.get(c.do(http.MethodDelete, widget, "").header.Get("Azure-AsyncOperation"))
		require.Equal(t, word, r.status())
	}
}

// A canceled operation ends with a word for Canceled, not with the EndWord that its plan sets for
// success.
func TestCanceledWordsAfterCancel(t *testing.T) {
	svc := &fakes.Service{Default: fakes.Plan{EndWord: "Ready"}}
	c := newTester(t, svc)
	c.do(http.MethodPut, widget, "")
	require.True(t, svc.Cancel(widget))
	require.Equal(t, "Canceled", c.get(statusURL).status(), "the EndWord must apply only to the planned success")
	svc.Quirk(quirks.CanceledWords, "")
	c.do(http.MethodPut, widget, "")
	require.True(t, svc.Cancel(widget))
	require.Equal(t, "Cancelled", c.get(widget).status())
}
