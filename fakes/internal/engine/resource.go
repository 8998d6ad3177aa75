package engine

import "errors"

// A Resource is one stored resource. The mutex of its Service guards it.
type Resource struct {
	Path   string // the path, in the spelling of the first PUT
	Body   []byte // a JSON object, without the members that the service adds
	State  string // the provisioningState while no operation is in progress
	Hidden bool   // true until the operation that creates it has ended
}

// Object returns a new copy of the body of res.
func (res *Resource) Object() Object {
	o, _ := Decode(res.Body) // the error is nil, because the service has encoded the body
	return o.(Object)
}

// Status returns the provisioningState of res. op is the operation in progress on
// it, or nil.
func (res *Resource) Status(op *Operation) string {
	if op != nil {
		return op.Status()
	}
	return res.State
}

// ParseResource decodes a resource sent by a client, and removes its
// provisioningState, which is read-only.
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

// SetProperty sets a property of the resource o, or removes it if value is nil.
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
