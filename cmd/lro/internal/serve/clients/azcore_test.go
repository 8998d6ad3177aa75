package clients

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

type widget struct {
	ID         string
	Properties struct{ ProvisioningState string }
}

// create uses azcore to create a widget at url, waits until the operation ends, and returns the
// widget.
func create(ctx context.Context, url string, pipeline runtime.Pipeline) (widget, error) {
	req, err := runtime.NewRequest(ctx, http.MethodPut, url)
	if err != nil {
		return widget{}, err
	}
	if err := runtime.MarshalAsJSON(req, struct{}{}); err != nil {
		return widget{}, err
	}
	resp, err := pipeline.Do(req) //nolint:bodyclose // NewPoller closes it
	if err != nil {
		return widget{}, err
	}
	poller, err := runtime.NewPoller[widget](resp, pipeline, nil)
	if err != nil {
		return widget{}, err
	}
	return poller.PollUntilDone(ctx, &runtime.PollUntilDoneOptions{Frequency: time.Second})
}

func TestAzcore(t *testing.T) {
	const path = "/widgets/w1?api-version=1"
	tests := map[string]struct {
		args []string
		code string // the error code that azcore must report; "" if the operation succeeds
	}{
		"azure-async-operation": {[]string{"--polls=1", "--retry-after=1s"}, ""},
		"operation-location":    {[]string{"--polls=0", "--retry-after=1s", "--strategy=operation-location"}, ""},
		"location":              {[]string{"--polls=0", "--retry-after=1s", "--strategy=location"}, ""},
		"provisioning-state":    {[]string{"--polls=0", "--retry-after=1s", "--strategy=provisioning-state"}, ""},
		"duration":              {[]string{"--duration=1s", "--retry-after=1s"}, ""},
		"a fault":               {[]string{"--polls=1", "--retry-after=1s", "--fault=poll:1:503=1s", "--fault=poll:2:drop"}, ""},
		"failed":                {[]string{"--polls=0", "--retry-after=1s", "--error-code=QuotaExceeded"}, "QuotaExceeded"},
		"canceled":              {[]string{"--polls=0", "--retry-after=1s", "--end=canceled"}, "Canceled"},
		"a quirk":               {[]string{"--polls=0", "--retry-after=1s", "--quirk=W9/200"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servetest.Start(t, tt.args...)
			w, err := create(t.Context(), s.URL+path, runtime.NewPipeline("widgets", "v1.0.0", runtime.PipelineOptions{}, nil))
			if tt.code != "" {
				failure, ok := errors.AsType[*azcore.ResponseError](err)
				require.True(t, ok, err)
				require.Equal(t, tt.code, failure.ErrorCode)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "/widgets/w1", w.ID)
			require.Equal(t, "Succeeded", w.Properties.ProvisioningState)
		})
	}
}

// authority returns the path of the file with the CA certificate that clients of s must trust.
func authority(s *servetest.Server) string {
	return regexp.MustCompile(`SSL_CERT_FILE="(.*)"`).FindStringSubmatch(strings.Join(s.Welcome(), "\n"))[1]
}

type credential struct{}

func (credential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "anything", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// armPipeline returns the pipeline of an Azure Resource Manager client for the given origin.
func armPipeline(t *testing.T, origin string) runtime.Pipeline {
	t.Helper()
	manager := cloud.ServiceConfiguration{Endpoint: origin, Audience: "https://management.azure.com"}
	client, err := arm.NewClient("widgets", "v1.0.0", credential{}, &arm.ClientOptions{ClientOptions: policy.ClientOptions{
		Cloud: cloud.Configuration{Services: map[cloud.ServiceName]cloud.ServiceConfiguration{cloud.ResourceManager: manager}},
	}})
	require.NoError(t, err)
	return client.Pipeline()
}

// The Azure SDK's management clients send a token only over HTTPS. They accept the certificate of
// lro serve --tls if SSL_CERT_FILE has the value that lro serve prints. They retry a poll that gets
// a 503, but return an error if a poll gets a 403.
//
// This must be the only test in this package that verifies a certificate in this process, because
// crypto/x509 reads SSL_CERT_FILE only once.
func TestAzcoreWithCredential(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("crypto/x509 reads SSL_CERT_FILE on Linux")
	}
	plain := servetest.Start(t, "--polls=0")
	_, err := create(t.Context(), plain.URL+"/widgets/w1?api-version=1", armPipeline(t, plain.URL))
	require.ErrorContains(t, err, "TLS")

	s := servetest.Start(t, "--polls=0", "--retry-after=1s", "--tls", "--fault=poll:1:503=1s", "--control=127.0.0.1:0")
	t.Setenv("SSL_CERT_FILE", authority(s))
	w, err := create(t.Context(), s.URL+"/widgets/w1?api-version=1", armPipeline(t, s.URL))
	require.NoError(t, err)
	require.Equal(t, "Succeeded", w.Properties.ProvisioningState)

	resp, err := http.Post(s.Control+"/faults", "application/json", strings.NewReader(`{"fault": "poll:1:403", "path": "/widgets/w2"}`)) //nolint:noctx // the test ends soon
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	_, err = create(t.Context(), s.URL+"/widgets/w2?api-version=1", armPipeline(t, s.URL))
	failure, ok := errors.AsType[*azcore.ResponseError](err)
	require.True(t, ok, err)
	require.Equal(t, http.StatusForbidden, failure.StatusCode)
}
