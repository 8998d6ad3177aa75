// Package widgets defines the resource that the clients in the folders azcore and goazuresdk
// manage.
package widgets

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

const (
	// APIVersion is the service's API version.
	APIVersion = "2026-01-01"

	// Collection is the path of the widget collection.
	Collection = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/migrate/providers/Microsoft.Contoso/widgets"
)

// A Widget is a resource of the service, and the result of the operation that creates it.
type Widget struct {
	Name       string     `json:"name,omitempty"`
	Properties Properties `json:"properties"`
}

// Properties holds a Widget's properties.
type Properties struct {
	Size              int    `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
	ResourceState     string `json:"resourceState,omitempty"`
}

// Of returns a widget of the given size, for a request that creates it.
func Of(size int) Widget { return Widget{Properties: Properties{Size: size}} }

// String returns the widget's name, size and provisioning state.
func (w Widget) String() string {
	return fmt.Sprintf("%s, size %d, %s", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
}

// NewPut returns a request that creates or replaces a widget. The body is a bytes.Reader, so
// net/http and package transport can send the request again.
func NewPut(ctx context.Context, endpoint, name string, want Widget) (*http.Request, error) {
	body, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	url := endpoint + Collection + "/" + name + "?api-version=" + APIVersion
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}
