// Package widgets defines the resource that all clients in the migration guides manage.
package widgets

import "fmt"

const (
	// APIVersion is the API version of the service.
	APIVersion = "2026-01-01"

	// Collection is the path of the widgets.
	Collection = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/migrate/providers/Microsoft.Contoso/widgets"
)

// A Widget is a resource of the service. It is the result of the operation that creates it.
type Widget struct {
	Name       string     `json:"name,omitempty"`
	Properties Properties `json:"properties"`
}

// Properties are the properties of a Widget.
type Properties struct {
	Size              int    `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// Of returns a widget of the given size, for a request that creates it.
func Of(size int) Widget { return Widget{Properties: Properties{Size: size}} }

// String returns the name, size and state of the widget.
func (w Widget) String() string {
	return fmt.Sprintf("%s, size %d, %s", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
}
