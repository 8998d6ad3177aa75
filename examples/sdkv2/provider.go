// Package sdkv2 is a Terraform provider built on terraform-plugin-sdk/v2. Changes to its one
// resource are long-running operations. For a provider built on terraform-plugin-framework, module
// poller/lrotf does everything that this example does, and more.
//
// This SDK has no private state, so the provider stores the operation in a sensitive attribute. The
// page docs/terraform-sdk.md explains each step.
package sdkv2

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/lro-go/lro/poller"
)

// A Client has everything that the resource needs to send requests.
type Client struct {
	Doer     poller.Doer
	Endpoint string          // such as https://management.azure.com
	Options  *poller.Options // options for all operations; Origins must be set
}

// Provider returns a provider that uses c. Its only resource is contoso_widget.
func Provider(c *Client) *schema.Provider {
	p := &schema.Provider{ResourcesMap: map[string]*schema.Resource{"contoso_widget": resourceWidget()}}
	p.SetMeta(c) // in a real provider, ConfigureContextFunc returns the Client
	return p
}

func resourceWidget() *schema.Resource {
	hours := schema.DefaultTimeout(3 * time.Hour)
	return &schema.Resource{
		CreateContext: createWidget,
		ReadContext:   readWidget,
		UpdateContext: updateWidget,
		DeleteContext: deleteWidget,
		CustomizeDiff: planUnfinished,
		Timeouts:      &schema.ResourceTimeout{Create: hours, Update: hours, Delete: hours},
		Schema: map[string]*schema.Schema{
			"name":               {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":               {Type: schema.TypeInt, Required: true},
			"provisioning_state": {Type: schema.TypeString, Computed: true},
			"operation":          {Type: schema.TypeString, Computed: true, Sensitive: true}, // sensitive, because the URLs in the token may be signed
		},
	}
}

// planUnfinished plans an update if the widget is not ready, so that Terraform calls updateWidget
// even if the configuration has not changed.
func planUnfinished(_ context.Context, d *schema.ResourceDiff, _ any) error {
	isNew := d.Id() == ""
	isReady := d.Get("provisioning_state") == ready && d.Get("operation") == ""
	if isNew || isReady {
		return nil
	}
	err := d.SetNewComputed("provisioning_state")
	if err != nil {
		return err
	}
	return d.SetNewComputed("operation")
}

const ready = "Succeeded"
