package lrotf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

const disks = "https://a.test/disks/"

// A disk is the service's representation of a disk.
type disk struct {
	Properties struct {
		SizeGB            int64  `json:"sizeGB"`
		ProvisioningState string `json:"provisioningState"`
	} `json:"properties"`
}

// A diskModel is a disk in a configuration, a plan or a state.
type diskModel struct {
	Name     types.String   `tfsdk:"name"`
	SizeGB   types.Int64    `tfsdk:"size_gb"`
	State    types.String   `tfsdk:"provisioning_state"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// A diskResource implements the resource contoso_disk.
type diskResource struct {
	lrotf.Resource[diskModel, disk]
	client *http.Client
}

func newDiskResource(client *http.Client) resource.Resource {
	r := &diskResource{client: client} // a real provider sets the client in Configure
	r.Resource = lrotf.Resource[diskModel, disk]{
		Name: func(m *diskModel) string { return "disk " + m.Name.ValueString() },
		BeginCreate: func(ctx context.Context, plan *diskModel) (*poller.Poller[disk], error) {
			var d disk
			d.Properties.SizeGB = plan.SizeGB.ValueInt64()
			return r.begin(ctx, http.MethodPut, plan, d)
		},
		BeginDelete: func(ctx context.Context, state *diskModel) (*poller.Poller[disk], error) {
			return r.begin(ctx, http.MethodDelete, state, nil)
		},
		Client: func() (poller.Doer, *poller.Options) { return r.client, options() },
		Get: func(ctx context.Context, m *diskModel) (disk, *poller.Poller[disk], error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, disks+m.Name.ValueString(), http.NoBody)
			if err != nil {
				return disk{}, nil, err
			}
			return lrotf.Get[disk](req, r.client, options())
		},
		Set: func(_ context.Context, m *diskModel, d disk) diag.Diagnostics {
			m.SizeGB = types.Int64Value(d.Properties.SizeGB)
			m.State = types.StringValue(d.Properties.ProvisioningState)
			return nil
		},
	}
	return r
}

func (r *diskResource) begin(ctx context.Context, method string, m *diskModel, body any) (*poller.Poller[disk], error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, disks+m.Name.ValueString(), bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return poller.Begin[disk](req, r.client, options())
}

// options returns the options of all operations. The pauses are short, so that the Example finishes
// quickly.
func options() *poller.Options {
	return &poller.Options{
		Origins: []string{"https://a.test"},
		Cadence: poller.Cadence{Default: time.Millisecond, Min: time.Millisecond},
	}
}

func (r *diskResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "contoso_disk"
}

func (r *diskResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"name":               schema.StringAttribute{Required: true},
			"size_gb":            schema.Int64Attribute{Required: true},
			"provisioning_state": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{"timeouts": timeouts.BlockAll(ctx)},
	}
}

// A diskProvider is a provider with one resource, contoso_disk.
type diskProvider struct {
	provider.Provider
	client *http.Client
}

func (p *diskProvider) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse) {
}
func (p *diskProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (p *diskProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (p *diskProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p *diskProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return newDiskResource(p.client) }}
}

// Ctrl-C interrupts the wait for a creation, and the next apply finds the creation finished. Then
// an update fails.
func Example() {
	ctx := context.Background()
	svc := &fakes.Service{}
	w, err := lrotftest.Open(ctx, providerserver.NewProtocol6(&diskProvider{client: fakes.Client(svc)})(), nil, "contoso_disk")
	if err != nil {
		panic(err)
	}
	apply := func(size int) {
		result, err := w.Apply(ctx, lrotftest.Config{"name": "d1", "size_gb": size})
		if err != nil {
			panic(err)
		}
		for _, d := range result.Diagnostics {
			fmt.Print(d.Severity, " ", d.Summary, "\n")
			if d.Attribute != nil {
				fmt.Println("at", d.Attribute)
			}
		}
		fmt.Println(result.Action, w.Attribute("provisioning_state"), "tainted:", w.Tainted(), "token:", w.Private() != "")
	}

	svc.Plan(fakes.Plan{Times: 1, Duration: fakes.Forever})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			next.ServeHTTP(rw, req)
			_ = w.Stop(ctx) // Ctrl-C
		})
	}})
	apply(10)

	svc.Finish("/disks/d1")
	apply(10)

	svc.Plan(fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{
		Code: "TooLarge", Message: "At most 100.", Target: "properties.sizeGB",
	}})
	apply(1000)
	// Output:
	// WARNING Creating disk d1: not finished
	// create Provisioning tainted: false token: true
	// no-op Succeeded tainted: false token: false
	// ERROR Updating disk d1: failed: TooLarge
	// at AttributeName("size_gb")
	// update Succeeded tainted: false token: false
}

// A data source reads a resource, and reports an error as a Resource does.
func ExampleDiagnose() {
	svc := &fakes.Service{}
	read := func(ctx context.Context, name string, schema lrotf.Schema) diag.Diagnostics {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, disks+name, http.NoBody)
		if err != nil {
			return diag.Diagnostics{diag.NewErrorDiagnostic("Reading disk "+name, err.Error())}
		}
		d, operation, err := lrotf.Get[disk](req, fakes.Client(svc), nil)
		if err != nil {
			return lrotf.Diagnose(ctx, "Reading disk "+name, err, schema)
		}
		fmt.Println(d.Properties.SizeGB, "GB; in progress:", operation != nil)
		return nil
	}
	svc.Put("/disks/d1", map[string]any{"properties": map[string]any{"sizeGB": 10}})
	for _, name := range []string{"d1", "d2"} {
		for _, d := range read(context.Background(), name, nil) {
			fmt.Println(d.Summary())
		}
	}
	// Output:
	// 10 GB; in progress: false
	// Reading disk d2: refused with 404: ResourceNotFound
}
