package bench

import (
	"io"
	"log"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
)

// barePipeline returns an azcore pipeline without retries or telemetry.
func barePipeline(transport policy.Transporter) azruntime.Pipeline {
	return azruntime.NewPipeline("bench", "v1", azruntime.PipelineOptions{}, &policy.ClientOptions{
		Transport: transport, Retry: policy.RetryOptions{MaxRetries: -1}, Telemetry: policy.TelemetryOptions{Disabled: true},
	})
}

// fullPipeline returns an azcore client's pipeline with default options. A nil transport means the
// default one.
func fullPipeline(transport policy.Transporter) azruntime.Pipeline {
	return azruntime.NewPipeline("bench", "v1", azruntime.PipelineOptions{}, &policy.ClientOptions{Transport: transport})
}

// hashicorpClient returns go-azure-sdk's client without a credential. It discards the output of
// package log, as Terraform providers do.
func hashicorpClient(tb testing.TB, host string, transport http.RoundTripper) *resourcemanager.Client {
	tb.Helper()
	log.SetOutput(io.Discard)
	c, err := resourcemanager.NewClient(environments.NewApiEndpoint("bench", host, nil), "bench", "2026-01-01")
	must(tb, err)
	c.AuthorizeRequest = nil
	c.SetTransport(transport)
	return c
}

// hashicorpPoller returns go-azure-sdk's poller for the operation whose first response is resp.
func hashicorpPoller(resp *http.Response, c *resourcemanager.Client) (pollers.Poller, error) {
	return resourcemanager.PollerFromResponse(&client.Response{Response: resp}, c)
}
