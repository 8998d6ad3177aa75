// Package widgets has what both sides of each move share: the resource.
package widgets

import "fmt"

const (
	// APIVersion is that of the service.
	APIVersion = "2026-01-01"

	// Collection is where the widgets are.
	Collection = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/migrate/providers/Microsoft.Contoso/widgets"
)

// A Widget is the resource of the service. An operation that creates one has it
// as its result.
type Widget struct {
	Name       string     `json:"name,omitempty"`
	Properties Properties `json:"properties"`
}

// Properties are those of a Widget.
type Properties struct {
	Size              int    `json:"size"`
	ProvisioningState string `json:"provisioningState,omitempty"`
}

// Of returns a widget to ask for.
func Of(size int) Widget { return Widget{Properties: Properties{Size: size}} }

// String returns the widget in a few words.
func (w Widget) String() string {
	return fmt.Sprintf("%s, size %d, %s", w.Name, w.Properties.Size, w.Properties.ProvisioningState)
}
