package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A resource is what the service has.
type resource struct {
	Tags       map[string]string `json:"tags,omitempty"`
	Properties struct {
		Size              int64  `json:"size"`
		ProvisioningState string `json:"provisioningState,omitempty"`
	} `json:"properties"`
}

// The tags say for whom, and for which generation of its spec, the resource was
// last written. Who finds it knows whether his own PUT has arrived.
const (
	ownerTag      = "widgets.example.com-owner"
	generationTag = "widgets.example.com-generation"
)

// desired is what the service should have for w.
func desired(w *Widget) resource {
	res := resource{Tags: map[string]string{
		ownerTag:      string(w.UID),
		generationTag: strconv.FormatInt(w.Generation, 10),
	}}
	res.Properties.Size = w.Spec.Size
	return res
}

func (res *resource) ownedBy(w *Widget) bool { return res.Tags[ownerTag] == string(w.UID) }

// generation is that of the spec that was written last, and 0 where that is unknown.
func (res *resource) generation() int64 {
	n, _ := strconv.ParseInt(res.Tags[generationTag], 10, 64)
	return n
}

// resourceURL is where the resource of w is.
func (r *Reconciler) resourceURL(w *Widget) string {
	return r.Origin + "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/" + w.Namespace +
		"/providers/Microsoft.Contoso/widgets/" + w.Name + "?api-version=2026-01-01"
}

// request makes one for the resource of w.
func (r *Reconciler) request(ctx context.Context, method string, w *Widget) (*http.Request, error) {
	if method != http.MethodPut {
		return http.NewRequestWithContext(ctx, method, r.resourceURL(w), http.NoBody)
	}
	body, err := json.Marshal(desired(w))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, r.resourceURL(w), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// found is what the service has for a Widget before anything is sent.
type found struct {
	resource
	absent bool
	state  *poller.Poller[resource] // of the resource; it can be followed where that is still in progress
}

// look asks the service what it has for w, by a GET of the resource, which is a
// beginning as good as any other: the poller that comes of it follows the
// provisioningState of an operation whose own URL was lost.
func (r *Reconciler) look(ctx context.Context, w *Widget) (*found, error) {
	req, err := r.request(ctx, http.MethodGet, w)
	if err != nil {
		return nil, err
	}
	resp, err := r.Service.Do(req)
	if err != nil {
		return nil, &lroerrors.StatusError{Method: req.Method, URL: req.URL.String(), Err: err} // whose text has no query
	}
	defer func() { resp.Body.Close() }() // New puts another body in its place
	if resp.StatusCode == http.StatusNotFound {
		return &found{absent: true}, nil
	}
	opts := r.options()
	opts.Strategy = poller.ProvisioningState
	f := &found{}
	if f.state, err = poller.New[resource](resp, r.Service, opts); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body) // New has bounded it
	if err != nil {
		return nil, err
	}
	return f, json.Unmarshal(body, &f.resource)
}
