package poller

import "encoding/json"

// The members of documents that a scanner fills in.

func (d *document) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "status":
		return &d.Status, 1 << 8
	case "id":
		return &d.ID, 1 << 9
	case "name":
		return &d.Name, 1 << 10
	case "startTime":
		return &d.StartTime, 1 << 11
	case "endTime":
		return &d.EndTime, 1 << 12
	case "percentComplete":
		return &d.PercentComplete, 1 << 13
	case "resourceLocation":
		return &d.ResourceLocation, 1 << 14
	}
	return d.resource.field(name)
}

func (r *resource) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "error":
		return &r.Error, 1
	case "operations":
		return &r.Operations, 1 << 1
	case "provisioningState":
		return &r.ProvisioningState, 1 << 2
	case "properties":
		return (*plainProperties)(&r.Properties), 1 << 3
	}
	return nil, 0
}

var (
	resourceNames   = []string{"error", "operations", "provisioningState", "properties"}
	documentNames   = append([]string{"status", "id", "name", "startTime", "endTime", "percentComplete", "resourceLocation"}, resourceNames...)
	propertiesNames = []string{"provisioningState", "status"}
)

func (d *document) names() []string { return documentNames }
func (r *resource) names() []string { return resourceNames }

// plainProperties are properties that stand in plain JSON. What is no object counts
// as absent.
type plainProperties properties

func (p *plainProperties) UnmarshalJSON([]byte) error { return nil }

func (p *plainProperties) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "provisioningState":
		return &p.ProvisioningState, 1
	case "status":
		return &p.Status, 1 << 1
	}
	return nil, 0
}

func (p *plainProperties) names() []string { return propertiesNames }
