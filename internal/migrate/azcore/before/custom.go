package before

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// A jobHandler follows a job, the service's own kind of operation, which azcore does not support. A
// resume token contains the exported fields of the handler.
type jobHandler struct {
	pl   runtime.Pipeline
	resp *http.Response

	URL   string `json:"url"`
	Phase string `json:"phase"`
}

// A job is the service's representation of a job.
type job struct {
	ID     string
	Phase  string // queued, running, finished or broken
	Output widgets.Widget
}

var _ runtime.PollingHandler[widgets.Widget] = (*jobHandler)(nil)

// Done implements runtime.PollingHandler.
func (h *jobHandler) Done() bool { return h.Phase == "finished" || h.Phase == "broken" }

// Poll implements runtime.PollingHandler.
func (h *jobHandler) Poll(ctx context.Context) (*http.Response, error) {
	req, err := runtime.NewRequest(ctx, http.MethodGet, h.URL)
	if err != nil {
		return nil, err
	}
	resp, err := h.pl.Do(req)
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(resp, http.StatusOK) {
		return nil, runtime.NewResponseError(resp)
	}
	var j job
	if err := runtime.UnmarshalAsJSON(resp, &j); err != nil {
		return nil, err
	}
	h.resp, h.Phase = resp, j.Phase
	return resp, nil
}

// Result implements runtime.PollingHandler.
func (h *jobHandler) Result(_ context.Context, out *widgets.Widget) error {
	if h.Phase == "broken" {
		return runtime.NewResponseError(h.resp)
	}
	var j job
	err := runtime.UnmarshalAsJSON(h.resp, &j)
	*out = j.Output
	return err
}

// BeginJob starts a job.
//
//nolint:bodyclose // azcore has read the body
func (c *Client) BeginJob(ctx context.Context, want widgets.Widget) (*runtime.Poller[widgets.Widget], error) {
	req, err := c.request(ctx, http.MethodPost, "/jobs", want)
	if err != nil {
		return nil, err
	}
	resp, err := c.pl.Do(req)
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(resp, accepted...) {
		return nil, runtime.NewResponseError(resp)
	}
	var j job
	if err := runtime.UnmarshalAsJSON(resp, &j); err != nil {
		return nil, err
	}
	handler := &jobHandler{pl: c.pl, resp: resp, URL: runtime.JoinPaths(c.endpoint, "jobs", j.ID), Phase: j.Phase}
	return runtime.NewPoller(resp, c.pl, &runtime.NewPollerOptions[widgets.Widget]{Handler: handler})
}

// RunJob starts a job and waits for its output.
func (c *Client) RunJob(ctx context.Context, want widgets.Widget) (widgets.Widget, error) {
	p, err := c.BeginJob(ctx, want)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}
