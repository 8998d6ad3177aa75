package main

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

// The day after an interrupted apply, the next apply finds the finished widget, even if the
// operation's status has expired or the endpoint has changed.
func TestInterruptedApply(t *testing.T) {
	for name, tt := range map[string]struct {
		expire   time.Duration
		endpoint string
		warnings int
	}{
		"known":        {0, "https://a.test", 0},
		"expired":      {time.Hour, "https://a.test", 0},
		"new endpoint": {0, "https://b.test", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := &fakes.Service{Default: fakes.Plan{Duration: 30 * time.Minute, RetryAfter: time.Minute}, Expire: tt.expire}
				w, err := lrotftest.Open(t.Context(), serve(service, "https://a.test"), nil, "stranger_widget")
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(10*time.Minute, func() { _ = w.Stop(context.Background()) }) // Ctrl-C
				apply(t, w, "create", 10*time.Minute, 1)

				time.Sleep(24 * time.Hour)
				if err := w.Attach(t.Context(), serve(service, tt.endpoint), nil); err != nil {
					t.Fatal(err)
				}
				apply(t, w, "no-op", 0, tt.warnings)
				if state := w.Attribute("provisioning_state"); state != "Succeeded" || w.Tainted() {
					t.Errorf("the state is %s, tainted: %t; want Succeeded and not tainted", state, w.Tainted())
				}
			})
		})
	}
}

// apply applies a configuration in w. The test fails unless the run succeeds with the given action,
// duration and number of warnings.
func apply(t *testing.T, w *lrotftest.Workspace, action string, took time.Duration, warnings int) {
	t.Helper()
	start := time.Now()
	result, err := w.Apply(t.Context(), lrotftest.Config{"name": "w1"})
	if err != nil || result.Failed() || result.Action != action || time.Since(start) != took || len(result.Diagnostics) != warnings {
		t.Errorf("apply = %s, %v, %v after %s, want %s after %s", result.Action, result.Diagnostics, err, time.Since(start), action, took)
	}
}

type widgetModel struct {
	Name    types.String `tfsdk:"name"`
	Address types.String `tfsdk:"address"`
	State   types.String `tfsdk:"provisioning_state"`
}

type widgetResource struct {
	lrotf.Resource[widgetModel, widget]
}

func newWidgetResource(service http.Handler, endpoint string) resource.Resource {
	client := fakes.Client(service)
	opts := &poller.Options{Origins: []string{endpoint}}
	request := func(ctx context.Context, method string, m *widgetModel) *http.Request {
		req, _ := http.NewRequestWithContext(ctx, method, endpoint+"/widgets/"+m.Name.ValueString(), http.NoBody)
		return req
	}
	begin := func(method string) func(context.Context, *widgetModel) (*poller.Poller[widget], error) {
		return func(ctx context.Context, m *widgetModel) (*poller.Poller[widget], error) {
			return poller.Begin[widget](request(ctx, method, m), client, opts)
		}
	}
	return &widgetResource{lrotf.Resource[widgetModel, widget]{
		Name:        func(m *widgetModel) string { return "widget " + m.Name.ValueString() },
		BeginCreate: begin(http.MethodPut),
		BeginDelete: begin(http.MethodDelete),
		Client:      func() (poller.Doer, *poller.Options) { return client, opts },
		Get: func(ctx context.Context, m *widgetModel) (widget, *poller.Poller[widget], error) {
			return lrotf.Get[widget](request(ctx, http.MethodGet, m), client, opts)
		},
		Set: func(_ context.Context, m *widgetModel, w widget) diag.Diagnostics {
			m.Address = types.StringValue(w.Name + ".test")
			m.State = types.StringValue(w.Properties.ProvisioningState)
			return nil
		},
	}}
}

func (r *widgetResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "stranger_widget"
}

func (r *widgetResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":               schema.StringAttribute{Required: true},
		"address":            schema.StringAttribute{Computed: true},
		"provisioning_state": schema.StringAttribute{Computed: true},
	}}
}

// A widgetProvider is a provider with one resource, stranger_widget.
type widgetProvider struct {
	provider.Provider
	service  http.Handler
	endpoint string
}

func (*widgetProvider) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {
}
func (*widgetProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (*widgetProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (*widgetProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p *widgetProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return newWidgetResource(p.service, p.endpoint) }}
}

// serve returns the server of a new provider for the endpoint, as if a new Terraform process had
// started the provider.
func serve(service http.Handler, endpoint string) tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(&widgetProvider{service: service, endpoint: endpoint})()
}
