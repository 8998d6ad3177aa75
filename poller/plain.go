package poller

import (
	"encoding/json"
	"errors"
	"strings"
)

// fields are the members of a document that matter, for a scanner to fill in.
type fields interface {
	// field returns where the member of a name goes, with a bit of its own; nil for
	// a name of no interest.
	field(name []byte) (into json.Unmarshaler, bit uint)
	names() []string // that field knows
}

// plain decodes an object into f, and reports whether it was plain. If it was not,
// f may hold a part of it.
func plain(b []byte, f fields) bool {
	s := scanner{b: b}
	var seen uint
	return s.members(maxPlain, func(name, value []byte) bool {
		into, bit := f.field(name)
		if into == nil {
			return !resembles(name, f.names())
		}
		// Of two members with one name encoding/json has its own choice.
		again := seen&bit != 0
		seen |= bit
		return !again && into.UnmarshalJSON(value) == nil
	}) && s.end()
}

// resembles reports whether encoding/json, for which case does not count, takes a
// name for one of names.
func resembles(name []byte, names []string) bool {
	for _, n := range names {
		if len(n) == len(name) && strings.EqualFold(n, string(name)) {
			return true
		}
	}
	return false
}

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

func (p *properties) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "provisioningState":
		return &p.ProvisioningState, 1
	case "status":
		return &p.Status, 1 << 1
	}
	return nil, 0
}

var (
	resourceNames   = []string{"error", "operations", "provisioningState", "properties"}
	documentNames   = append([]string{"status", "id", "name", "startTime", "endTime", "percentComplete", "resourceLocation"}, resourceNames...)
	propertiesNames = []string{"provisioningState", "status"}
)

func (d *document) names() []string   { return documentNames }
func (r *resource) names() []string   { return resourceNames }
func (p *properties) names() []string { return propertiesNames }

// plainProperties are properties that stand in plain JSON. What is no object counts
// as absent.
type plainProperties properties

var errNotPlain = errors.New("not plain")

func (p *plainProperties) UnmarshalJSON(b []byte) error {
	if b[0] == '{' && !plain(b, (*properties)(p)) {
		return errNotPlain
	}
	return nil
}
