package lrotf_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf"
)

var diskSchema = schema.Schema{
	Attributes: map[string]schema.Attribute{
		"name":           schema.StringAttribute{},
		"max_size":       schema.Int64Attribute{},
		"dns_ip_address": schema.StringAttribute{},
		"disks": schema.ListNestedAttribute{NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{"size_gb": schema.Int64Attribute{}},
		}},
		"tags": schema.MapAttribute{ElementType: types.StringType},
	},
}

func TestTarget(t *testing.T) {
	disk := path.Root("disks").AtListIndex(1)
	for target, want := range map[string]path.Path{
		"name":                       path.Root("name"),
		"maxSize":                    path.Root("max_size"),
		"max_size":                   path.Root("max_size"),
		"properties.maxSize":         path.Root("max_size"),
		"/properties/maxSize":        path.Root("max_size"),
		"$.properties.maxSize":       path.Root("max_size"),
		"properties.dnsIPAddress":    path.Root("dns_ip_address"),
		"properties.disks[1].sizeGB": disk.AtName("size_gb"),
		"/properties/disks/1/sizeGB": disk.AtName("size_gb"),
		"properties.disks[1].colour": disk,
		"properties":                 path.Empty(),
		"colour":                     path.Empty(),
		"":                           path.Empty(),
		"size.name":                  path.Empty(),
		"[1]":                        path.Empty(),
		"/subscriptions/s/name":      path.Empty(),
	} {
		for _, err := range []error{
			&lroerrors.OperationError{State: "Failed", Detail: &lroerrors.Detail{Code: "A", Target: target}},
			&lroerrors.StatusError{StatusCode: http.StatusBadRequest, Detail: &lroerrors.Detail{
				Target: "vm", Details: []lroerrors.Detail{{Target: "none"}, {Details: []lroerrors.Detail{{Target: target}}}},
			}},
		} {
			got := path.Empty()
			if d, ok := lrotf.Diagnose(t.Context(), "Creating", err, diskSchema)[0].(diag.DiagnosticWithPath); ok {
				got = d.Path()
			}
			require.Equal(t, want.String(), got.String(), target)
		}
	}
}

// Get returns no error for a failed resource, and ignores a byte order mark (quirk W42).
func TestGet(t *testing.T) {
	svc := &fakes.Service{}
	body := "\ufeff" + `{"name": "w1", "properties": {"provisioningState": "Failed", "size": 7}}`
	svc.Fault(fakes.Fault{Do: fakes.Respond(http.StatusOK, body)})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/widgets/w1", http.NoBody)
	require.NoError(t, err)
	w, p, err := lrotf.Get[widget](req, fakes.Client(svc), nil)
	require.NoError(t, err)
	require.Nil(t, p)
	require.Equal(t, widget{Name: "w1", Properties: widgetProperties{Size: 7, ProvisioningState: "Failed"}}, w)
}

type everything struct{}

func (everything) TypeAtPath(context.Context, path.Path) (attr.Type, diag.Diagnostics) {
	return nil, nil
}

func TestDiagnose(t *testing.T) {
	detail := &lroerrors.Detail{
		Code: "Quota", Message: "Over the quota.", Target: "vm",
		Details: []lroerrors.Detail{{Message: "At most 10.", Code: "Limit", Target: "size"}},
	}
	for _, tt := range []struct {
		err           error
		summary, text string
	}{
		{
			&lroerrors.OperationError{State: "Canceled", ID: "op", RequestID: "r", CorrelationID: "c", Detail: detail},
			"Creating: canceled: Quota",
			"Over the quota. (code Quota) (target vm)\n  - At most 10. (code Limit) (target size)\noperation: op\nrequest id: r\ncorrelation id: c\n",
		},
		{&lroerrors.OperationError{State: "Failed"}, "Creating: failed", "The service gave no reason.\n"},
		{
			&lroerrors.StatusError{Method: "PUT", URL: "https://a.test/w", StatusCode: 403, RequestID: "r", Detail: detail},
			"Creating: refused with 403: Quota",
			"Over the quota. (code Quota) (target vm)\n  - At most 10. (code Limit) (target size)\nrequest: PUT https://a.test/w\nrequest id: r\n",
		},
		{errors.New("no such thing"), "Creating", "no such thing"},
	} {
		got := lrotf.Diagnose(t.Context(), "Creating", tt.err, nil)
		require.Len(t, got, 1)
		require.Equal(t, diag.SeverityError, got[0].Severity())
		require.Equal(t, tt.summary, got[0].Summary())
		require.Equal(t, tt.text, got[0].Detail())
		require.NotPanics(t, func() { lrotf.Diagnose(t.Context(), "", tt.err, everything{}) })
	}
	page := &lroerrors.StatusError{Method: "GET", StatusCode: 200, Err: errors.New("not JSON")}
	for _, tt := range []struct {
		err           error
		summary, text string
	}{
		{&lroerrors.WaitError{Reason: lroerrors.ReasonDeadline, Err: context.DeadlineExceeded}, "not finished", "the next apply waits for it"},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonRefused}, "not finished", "until someone solves this problem"},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonUnfollowable, LastErr: page}, "the response cannot be used", "200 OK"},
		{page, "the response cannot be used", "not JSON"},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonGone}, "not finished", "It is unknown how the operation ended"},
		{&lroerrors.ResultError{Err: detail}, "succeeded, but the result cannot be read", "the next apply waits for it"},
		{&lroerrors.StatusError{Method: "PUT", Err: errors.New("reset")}, "no response", "may have accepted"},
		{&lroerrors.StatusError{Method: "PUT", StatusCode: 409, Unanswered: true}, "refused with 409", "may have accepted"},
	} {
		got := lrotf.Diagnose(t.Context(), "Creating", tt.err, nil)
		require.Equal(t, "Creating: "+tt.summary, got[0].Summary())
		require.Contains(t, got[0].Detail(), tt.text)
	}
}
