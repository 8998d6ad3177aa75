package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// A resource is what the service stores for a Widget.
type resource struct {
	Tags       map[string]string `json:"tags,omitempty"`
	Properties struct {
		Size int64 `json:"size"`
	} `json:"properties"`
}

// A PUT stores the Widget's UID and generation in these tags of the resource. They show whether the
// PUT took effect, even if its token is lost.
const (
	ownerTag      = "widgets.example.com-owner"
	generationTag = "widgets.example.com-generation"
)

func (res *resource) ownedBy(w *Widget) bool { return res.Tags[ownerTag] == string(w.UID) }

// generation returns the generation in the tag, or 0 if the tag is missing or not a number.
func (res *resource) generation() int64 {
	n, _ := strconv.ParseInt(res.Tags[generationTag], 10, 64)
	return n
}

// request returns an HTTP request for w's resource.
func (r *Reconciler) request(ctx context.Context, method string, w *Widget) (*http.Request, error) {
	url := r.Origin + "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/" + w.Namespace +
		"/providers/Microsoft.Contoso/widgets/" + w.Name + "?api-version=2026-01-01"
	var body bytes.Buffer
	if method == http.MethodPut {
		want := resource{Tags: map[string]string{ownerTag: string(w.UID), generationTag: strconv.FormatInt(w.Generation, 10)}}
		want.Properties.Size = w.Spec.Size
		if err := json.NewEncoder(&body).Encode(want); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, &body)
	if err == nil && method == http.MethodPut {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// look reads w's resource and returns a poller for the operation in progress. The poller is done if
// no operation is in progress, and nil if the resource does not exist.
func (r *Reconciler) look(ctx context.Context, w *Widget) (res resource, p *poller.Poller[resource], err error) {
	req, err := r.request(ctx, http.MethodGet, w)
	if err != nil {
		return res, nil, err
	}
	resp, err := r.Service.Do(req)
	if err != nil { // err may quote a signed URL, which StatusError redacts
		return res, nil, &lroerrors.StatusError{Method: req.Method, URL: req.URL.String(), Err: err}
	}
	defer func() { resp.Body.Close() }() // a closure, because poller.New replaces resp.Body
	if resp.StatusCode == http.StatusNotFound {
		return res, nil, nil
	}
	opts := r.Options
	opts.Strategy = arm.ProvisioningState
	p, err = poller.New[resource](resp, r.Service, &opts)
	if err != nil {
		return res, nil, err
	}
	return res, p, json.NewDecoder(resp.Body).Decode(&res)
}
