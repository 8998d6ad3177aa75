package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lroazcore"
)

// TestFollowFindsResultPath checks that lroazcore.Follow uses a generated client's
// OperationLocationResultPath. The test is not in lroazcore, because the oldest azcore release that
// lroazcore supports lacks this field.
func TestFollowFindsResultPath(t *testing.T) {
	type Account struct{ Name string }
	const origin = "https://arm.test"
	synctest.Test(t, func(t *testing.T) {
		pl := runtime.NewPipeline("example", "v0.1.0", runtime.PipelineOptions{}, &azpolicy.ClientOptions{Transport: fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodPut {
				w.Header().Set("Operation-Location", origin+"/status")
				w.WriteHeader(http.StatusAccepted)
				return
			}
			_, _ = fmt.Fprint(w, `{"status": "Succeeded", "a/b": {"name": "a"}}`)
		}))})
		p, err := lroazcore.Follow(t.Context(), func(ctx context.Context, token string) (*runtime.Poller[Account], error) {
			if token != "" {
				return runtime.NewPollerFromResumeToken[Account](token, pl, nil)
			}
			req, err := runtime.NewRequest(ctx, http.MethodPut, origin+"/a")
			require.NoError(t, err)
			resp, err := pl.Do(req) //nolint:bodyclose // azcore has read the body
			require.NoError(t, err)
			return runtime.NewPoller(resp, pl, &runtime.NewPollerOptions[Account]{FinalStateVia: runtime.FinalStateViaOpLocation, OperationLocationResultPath: "a/b"})
		}, nil)
		require.NoError(t, err)
		got, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "a", got.Name)
	})
}
