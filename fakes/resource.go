package fakes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// An object is a JSON object. A stored object is never changed.
type object = map[string]any

// A resource is guarded by the mutex of its Service.
type resource struct {
	path   string // in the case of the first PUT
	body   object // without the members that the service adds
	state  string // provisioningState while no operation is in progress
	hidden bool   // until the operation that creates it has ended
}

// Put stores a resource as if it had been created long ago. The body must
// encode as a JSON object; otherwise Put panics. The service adds id, name and
// type, and properties.provisioningState unless the body has one.
func (s *Service) Put(path string, body any) {
	o, state, err := parseResource(encode(body))
	if err != nil {
		panic(fmt.Sprintf("fakes: Put(%q): %v", path, err))
	}
	if state == "" {
		state = string(Succeeded)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	s.resources[key(path)] = &resource{path: "/" + strings.Trim(path, "/"), body: o, state: state}
}

// Resource returns a resource as a GET would, and whether it exists. URLs in it
// have no scheme and host.
func (s *Service) Resource(path string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res, op := s.visible(path)
	if res == nil {
		return nil, false
	}
	return s.speech().show(s, res, op, ""), true
}

// visible returns the resource that a GET of path finds, and the operation in
// progress on it, or nil.
func (s *Service) visible(path string) (*resource, *operation) {
	res, op := s.find(path)
	if res == nil || res.hidden {
		return nil, nil
	}
	return res, op
}

// find is like visible, but it also finds hidden resources. It first settles
// the operations on the resources above, because their end may delete the
// resource.
func (s *Service) find(path string) (*resource, *operation) {
	for i, c := range path {
		if c == '/' {
			s.settle(s.latest[key(path[:i])])
		}
	}
	op := s.latest[key(path)]
	s.settle(op)
	if !op.running() {
		op = nil
	}
	return s.resources[key(path)], op
}

// remove deletes a resource and all resources below it.
func (s *Service) remove(path string) {
	maps.DeleteFunc(s.resources, func(k string, _ *resource) bool { return under(k, path) })
}

// word returns the provisioningState of res. op is the operation in progress on
// it, or nil.
func (res *resource) word(op *operation) string {
	if op != nil {
		return op.status()
	}
	return res.state
}

// show returns the resource as a GET shows it. op is the operation in progress
// on it, or nil.
func (arm) show(_ *Service, res *resource, op *operation, _ string) []byte {
	o := maps.Clone(res.body)
	o["id"], o["type"] = res.path, typeOf(res.path)
	_, o["name"] = cut(res.path)
	properties := object{}
	if given, ok := o["properties"].(object); ok {
		maps.Copy(properties, given)
	}
	properties["provisioningState"] = res.word(op)
	o["properties"] = properties
	return encode(o)
}

// typeOf returns the type of the resource at path:
// Microsoft.Contoso/widgets/parts, or widgets/parts if the path has no
// namespace.
func typeOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var names []string
	for i := 0; i < len(parts); i += 2 {
		if strings.EqualFold(parts[i], "providers") && i+1 < len(parts) {
			names = []string{parts[i+1]}
			continue
		}
		names = append(names, parts[i])
	}
	return strings.Join(names, "/")
}

// parseResource decodes a resource that a client sent, and removes its
// provisioningState, which is read-only.
func parseResource(body []byte) (o object, state string, err error) {
	o = object{}
	if len(body) > 0 {
		v, err := decode(body)
		if err != nil {
			return nil, "", err
		}
		var ok bool
		if o, ok = v.(object); !ok {
			return nil, "", errors.New("not a JSON object")
		}
	}
	if properties, ok := o["properties"].(object); ok {
		state, _ = properties["provisioningState"].(string)
		delete(properties, "provisioningState")
	}
	return o, state, nil
}

// merge applies patch to base, after RFC 7396. It changes neither.
func merge(base, patch object) object {
	merged := maps.Clone(base)
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case object:
			old, _ := merged[name].(object)
			if old == nil {
				old = object{}
			}
			merged[name] = merge(old, value)
		default:
			merged[name] = value
		}
	}
	return merged
}

// read answers a GET of a resource.
func (s *Service) read(q *question) Answer {
	res, op := s.visible(q.path)
	if res == nil {
		return s.speech().notFound(q, q.path)
	}
	return jsonAnswer(http.StatusOK, s.speech().show(s, res, op, q.base))
}

// property sets a property of the resource o, or removes it if value is nil.
func property(o object, name string, value any) {
	properties := object{}
	if given, ok := o["properties"].(object); ok {
		maps.Copy(properties, given)
	}
	properties[name] = value
	if value == nil {
		delete(properties, name)
	}
	o["properties"] = properties
}
