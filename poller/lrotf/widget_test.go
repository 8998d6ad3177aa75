package lrotf_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/lrotf"
	"github.com/lro-go/lro/poller/strategy"
)

// A widget is the service's JSON representation of the resource.
type widget struct {
	ID         string           `json:"id,omitempty"`
	Name       string           `json:"name,omitempty"`
	Properties widgetProperties `json:"properties"`
}

type widgetProperties struct {
	Size              int64  `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// A widgetModel is a widget in a configuration, a plan or a state.
type widgetModel struct {
	ID                types.String   `tfsdk:"id"`
	Name              types.String   `tfsdk:"name"`
	Size              types.Int64    `tfsdk:"size"`
	Address           types.String   `tfsdk:"address"`
	ProvisioningState types.String   `tfsdk:"provisioning_state"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

const widgetPath = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso/widgets/"

// A client sends the requests for widgets. Tests set its fields to vary its behavior.
type client struct {
	poller.Doer
	endpoint string // "" means https://a.test
	watches  bool   // whether to follow operations with a Watch, which has no token
	options  poller.Options
	grace    time.Duration
	timeout  time.Duration
	broken   bool                        // whether Set fails
	before   func(context.Context) error // called by BeginCreate before the request; may be nil
}

// cancelable adds a cancel request, a DELETE of the polled URL, to one of ARM's strategies.
type cancelable struct{ poller.Strategy }

func (cancelable) Cancel(a strategy.Answer) (*poller.Request, error) {
	return &poller.Request{Method: http.MethodDelete, URL: a.Poll}, nil
}

func (c *client) request(ctx context.Context, method string, m *widgetModel) (*http.Request, error) {
	var body []byte
	if method == http.MethodPut {
		body, _ = json.Marshal(widget{Properties: widgetProperties{Size: m.Size.ValueInt64()}}) // cannot fail
	}
	return http.NewRequestWithContext(ctx, method, c.url()+widgetPath+m.Name.ValueString(), bytes.NewReader(body))
}

func (c *client) begin(ctx context.Context, method string, m *widgetModel) (*poller.Poller[widget], error) {
	req, err := c.request(ctx, method, m)
	if err != nil {
		return nil, err
	}
	m.ID = types.StringValue(req.URL.Path) // known before the operation ends
	p, err := poller.Begin[widget](req, c, c.opts())
	if err != nil || !c.watches || p.Done() {
		return p, err
	}
	read := func(ctx context.Context) (widget, error) {
		v, _, err := c.get(ctx, m)
		return v, err
	}
	if method == http.MethodDelete {
		return poller.Watch(read, poller.Gone[widget], nil), nil
	}
	return poller.Watch(read, nil, nil), nil
}

func (c *client) opts() *poller.Options {
	opts := c.options
	if opts.Strategy == nil {
		opts.Strategy = cancelable{arm.Auto}
	}
	opts.Origins = []string{c.url()}
	return &opts
}

func (c *client) url() string { return cmp.Or(c.endpoint, "https://a.test") }

func (c *client) get(ctx context.Context, m *widgetModel) (widget, *poller.Poller[widget], error) {
	req, err := c.request(ctx, http.MethodGet, m)
	if err != nil {
		return widget{}, nil, err
	}
	opts := c.opts()
	opts.Strategy = nil
	v, p, err := lrotf.Get[widget](req, c, opts)
	if p != nil && c.watches {
		p = poller.Watch(func(ctx context.Context) (widget, error) {
			v, _, err := c.get(ctx, m)
			return v, err
		}, nil, nil)
	}
	return v, p, err
}

// A widgetResource implements the resource contoso_widget.
type widgetResource struct {
	lrotf.Resource[widgetModel, widget]
}

func newWidgetResource(c *client) resource.Resource {
	r := &widgetResource{lrotf.Resource[widgetModel, widget]{
		Name: func(m *widgetModel) string { return `widget "` + m.Name.ValueString() + `"` },
		BeginCreate: func(ctx context.Context, plan *widgetModel) (*poller.Poller[widget], error) {
			if c.before != nil {
				err := c.before(ctx)
				if err != nil {
					return nil, err
				}
			}
			return c.begin(ctx, http.MethodPut, plan)
		},
		BeginDelete: func(ctx context.Context, state *widgetModel) (*poller.Poller[widget], error) {
			return c.begin(ctx, http.MethodDelete, state)
		},
		Client: func() (poller.Doer, *poller.Options) { return c, c.opts() },
		Get:    c.get,
		Set: func(_ context.Context, m *widgetModel, w widget) diag.Diagnostics {
			m.ID = types.StringValue(w.ID)
			m.Name = types.StringValue(w.Name)
			m.Size = types.Int64Value(w.Properties.Size)
			m.Address = types.StringValue(w.Name + ".contoso.test")
			m.ProvisioningState = types.StringValue(w.Properties.ProvisioningState)
			if c.broken {
				return diag.Diagnostics{diag.NewErrorDiagnostic("Not a widget", "It has no name.")}
			}
			return nil
		},
		Grace:   c.grace,
		Timeout: c.timeout,
	}}
	return r
}

func (r *widgetResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_widget"
}

func (r *widgetResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":                 schema.StringAttribute{Computed: true},
			"name":               schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
			"size":               schema.Int64Attribute{Required: true},
			"address":            schema.StringAttribute{Computed: true}, // unknown until the creation ends
			"provisioning_state": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{"timeouts": timeouts.BlockAll(ctx)},
	}
}

func (r *widgetResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// A testProvider is a provider with one resource, contoso_widget.
type testProvider struct {
	provider.Provider
	c *client
}

func (p *testProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "contoso"
}

func (p *testProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *testProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *testProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *testProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return newWidgetResource(p.c) }}
}
