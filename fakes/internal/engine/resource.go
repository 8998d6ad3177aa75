package engine

import "errors"

// A Resource is a stored resource. Its Service's mutex guards it.
type Resource struct {
	Path   string // the path, in the spelling used to create the resource
	Body   []byte // a JSON object, without the members that the service adds
	State  string // the provisioningState while no operation is in progress
	Hidden bool   // whether the resource is invisible because its creation is in progress
}

// Object returns the decoded body of res. Each call returns a new Object.
func (res *Resource) Object() Object {
	o, _ := Decode(res.Body) // cannot fail, because the service encoded the body
	return o.(Object)
}

// Status returns the provisioningState of res. op is the operation in progress on res, or nil.
func (res *Resource) Status(op *Operation) string {
	if op != nil {
		return op.Status()
	}
	return res.State
}

// ParseResource decodes a resource. It removes the provisioningState, which is read-only for
// clients, and returns it as state.
func ParseResource(body []byte) (o Object, state string, err error) {
	o = Object{}
	if len(body) > 0 {
		v, err := Decode(body)
		if err != nil {
			return nil, "", err
		}
		object, ok := v.(Object)
		if !ok {
			return nil, "", errors.New("not a JSON object")
		}
		o = object
	}
	if properties, ok := o["properties"].(Object); ok {
		state, _ = properties["provisioningState"].(string)
		delete(properties, "provisioningState")
	}
	return o, state, nil
}

// SetProperty sets a property of the resource o. If value is nil, it removes the property.
func SetProperty(o Object, name string, value any) {
	properties, ok := o["properties"].(Object)
	if !ok {
		properties = Object{}
		o["properties"] = properties
	}
	properties[name] = value
	if value == nil {
		delete(properties, name)
	}
}
