package acceptance_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
	"github.com/lro-go/lro/examples/terraform/internal/provider"
	"github.com/lro-go/lro/fakes"
)

// newCase returns a test case, its service and its provider block. The provider runs in this
// process, and the service listens on the loopback interface.
func newCase(t *testing.T) (resource.TestCase, *fakes.Service, string) {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "tofurc") // use an empty file instead of the user's settings
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	for name, value := range map[string]string{
		"TF_ACC":                    "1",
		"TF_ACC_TERRAFORM_PATH":     tofuBinary(t),
		"TF_ACC_PROVIDER_HOST":      "registry.opentofu.org", // tofu's default host for a provider without a source
		"TF_ACC_PROVIDER_NAMESPACE": "hashicorp",
		"TF_CLI_CONFIG_FILE":        settings,
		"CHECKPOINT_DISABLE":        "1",
	} {
		t.Setenv(name, value)
	}
	svc := contoso.New(2, 20*time.Millisecond)
	origin, stop, err := contoso.Serve(t.Context(), "127.0.0.1:0", svc)
	require.NoError(t, err)
	t.Cleanup(stop)
	return resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"contoso": providerserver.NewProtocol6WithError(provider.New()),
		},
		CheckDestroy: func(*terraform.State) error {
			if _, exists := svc.Resource(contoso.Widgets + "/w"); exists {
				return fmt.Errorf("the widget still exists")
			}
			return nil
		},
	}, svc, fmt.Sprintf("provider \"contoso\" {\n  endpoint = %q\n  min_pause = \"10ms\"\n}\n", origin)
}

func config(size int, more string) string {
	return fmt.Sprintf("resource \"contoso_widget\" \"w\" {\n  name = \"w\"\n  size = %d\n  %s\n}\n", size, more)
}

const data = "data \"contoso_widget\" \"w\" {\n  name = contoso_widget.w.name\n  timeouts { read = \"1m\" }\n}\n"

const (
	theResource = "contoso_widget.w"
	theData     = "data.contoso_widget.w"
)

func TestAccLifecycle(t *testing.T) {
	c, svc, providerBlock := newCase(t)
	c.Steps = []resource.TestStep{
		{
			Config: providerBlock + config(1, "") + data,
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(theResource, "id", contoso.Widgets+"/w"),
				resource.TestCheckResourceAttr(theResource, "provisioning_state", "Succeeded"),
				resource.TestCheckResourceAttr(theData, "size", "1"),
				resource.TestCheckResourceAttr(theData, "provisioning_state", "Succeeded"),
			),
		},
		{
			ResourceName: theResource, ImportState: true, ImportStateId: "w", ImportStateVerify: true,
		},
		{
			Config:           providerBlock + config(2, "") + data,
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            resource.TestCheckResourceAttr(theResource, "size", "2"),
		},
		{ // changing the timeouts updates the state without a PUT
			Config: providerBlock + config(2, "timeouts {\n    create = \"1h\"\n    read = \"1m\"\n    update = \"1h\"\n    delete = \"1h\"\n  }"),
			Check: func(*terraform.State) error {
				if n := started(svc, http.MethodPut); n != 2 {
					return fmt.Errorf("%d requests, want 2", n)
				}
				return nil
			},
		},
	}
	resource.Test(t, c)
}

func TestAccInvalidConfig(t *testing.T) {
	c, _, providerBlock := newCase(t)
	c.Steps = []resource.TestStep{
		{
			Config:      providerBlock + config(1, "timeouts { create = \"soon\" }"),
			ExpectError: regexp.MustCompile(`soon`),
		},
		{
			Config:      providerBlock + "data \"contoso_widget\" \"w\" {\n  name = \"nobody\"\n}\n",
			ExpectError: regexp.MustCompile(`Reading widget "nobody": refused with 404`),
		},
	}
	resource.Test(t, c)
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(theResource, a)}}
}

// started counts the requests with the given method that started an operation.
func started(svc *fakes.Service, method string) int {
	n := 0
	for _, q := range svc.Requests() {
		if q.Kind == fakes.Begin && q.Method == method {
			n++
		}
	}
	return n
}
