package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// A Resource is one stored resource. The mutex of its Service guards it.
type Resource struct {
	Path   string // in the spelling of the first PUT
	Body   Object // excludes the members that the service adds
	State  string // provisioningState while no operation is in progress
	Hidden bool   // true until the operation that creates it has ended
}

// Put stores a resource as if it had been created long ago. The body must
// encode as a JSON object; otherwise Put panics. The service adds id, name and
// type. It also adds properties.provisioningState, unless the body already
// contains it.
func (s *Service) Put(path string, body any) {
	o, state, err := ParseResource(Encode(body))
	if err != nil {
		panic(fmt.Sprintf("fakes: Put(%q): %v", path, err))
	}
	if state == "" {
		state = string(Succeeded)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Resources[Key(path)] = &Resource{Path: "/" + strings.Trim(path, "/"), Body: o, State: state}
}

// Resource returns the body that a GET of the resource would return, and
// reports whether the resource exists. URLs in the body have no scheme or host.
func (s *Service) Resource(path string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res, op := s.Visible(path)
	if res == nil {
		return nil, false
	}
	return s.Dialect.Show(s, res, op, ""), true
}

// Visible returns the resource that a GET of path finds, and the operation in
// progress on it. Each is nil if there is none.
func (s *Service) Visible(path string) (*Resource, *Operation) {
	res, op := s.Find(path)
	if res == nil || res.Hidden {
		return nil, nil
	}
	return res, op
}

// Find is like Visible, but it also finds hidden resources. It first settles
// the operations on the parent resources, because the end of such an operation
// may delete the resource.
func (s *Service) Find(path string) (*Resource, *Operation) {
	for i, c := range path {
		if c == '/' {
			s.Settle(s.Latest[Key(path[:i])])
		}
	}
	op := s.Latest[Key(path)]
	s.Settle(op)
	if !op.Running() {
		op = nil
	}
	return s.Resources[Key(path)], op
}

// Remove deletes a resource and all resources below it.
func (s *Service) Remove(path string) {
	maps.DeleteFunc(s.Resources, func(k string, _ *Resource) bool { return Under(k, path) })
}

// Status returns the provisioningState of res. op is the operation in progress on
// it, or nil.
func (res *Resource) Status(op *Operation) string {
	if op != nil {
		return op.Status()
	}
	return res.State
}

// Show returns the response body for a GET of res. op is the operation in
// progress on res, or nil.
func (ARM) Show(_ *Service, res *Resource, op *Operation, _ string) []byte {
	o := maps.Clone(res.Body)
	o["id"], o["type"] = res.Path, TypeOf(res.Path)
	_, o["name"] = Cut(res.Path)
	properties := Object{}
	if given, ok := o["properties"].(Object); ok {
		maps.Copy(properties, given)
	}
	properties["provisioningState"] = res.Status(op)
	o["properties"] = properties
	return Encode(o)
}

// ParseResource decodes a resource that a client sent, and removes its
// provisioningState, which is read-only.
func ParseResource(body []byte) (o Object, state string, err error) {
	o = Object{}
	if len(body) > 0 {
		v, err := Decode(body)
		if err != nil {
			return nil, "", err
		}
		var ok bool
		if o, ok = v.(Object); !ok {
			return nil, "", errors.New("not a JSON object")
		}
	}
	if properties, ok := o["properties"].(Object); ok {
		state, _ = properties["provisioningState"].(string)
		delete(properties, "provisioningState")
	}
	return o, state, nil
}

// Read answers a GET of a resource.
func (s *Service) Read(q *Request) Answer {
	res, op := s.Visible(q.Path)
	if res == nil {
		return s.Dialect.NotFound(q, q.Path)
	}
	return JSON(http.StatusOK, s.Dialect.Show(s, res, op, q.Base))
}

// SetProperty sets a property of the resource o, or removes it if value is nil.
func SetProperty(o Object, name string, value any) {
	properties := Object{}
	if given, ok := o["properties"].(Object); ok {
		maps.Copy(properties, given)
	}
	properties[name] = value
	if value == nil {
		delete(properties, name)
	}
	o["properties"] = properties
}
