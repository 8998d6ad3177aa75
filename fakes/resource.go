package fakes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// An object is a JSON object. It is never changed once it is stored.
type object = map[string]any

// A resource is guarded by the mutex of its Service.
type resource struct {
	path   string // as it was first written
	body   object // without what the service adds
	state  string // provisioningState while no operation is changing it
	hidden bool   // until the operation that creates it is complete
}

// Put stores a resource, as if it had been created long ago. It is anything that
// encodes as a JSON object; anything else panics. An id, name, type and
// properties.provisioningState are added, the latter unless there is one.
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

// Resource returns a resource as a GET would, and whether a GET would. Nobody has
// asked for it at a host, so that URLs in it have none.
func (s *Service) Resource(path string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res, op := s.visible(path)
	if res == nil {
		return nil, false
	}
	return s.speech().show(s, res, op, ""), true
}

// visible is the resource that a GET of path finds, with the operation that is
// changing it, if any.
func (s *Service) visible(path string) (*resource, *operation) {
	res, op := s.find(path)
	if res == nil || res.hidden {
		return nil, nil
	}
	return res, op
}

// find is visible for those who can see what is hidden. What is above the path
// comes first, for it may take the path along in its end.
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

// remove takes away a resource and everything below it.
func (s *Service) remove(path string) {
	maps.DeleteFunc(s.resources, func(k string, _ *resource) bool { return under(k, path) })
}

// word is the provisioningState of res while op, if any, is changing it.
func (res *resource) word(op *operation) string {
	if op != nil {
		return op.status()
	}
	return res.state
}

// show is the resource as the service shows it while op, if any, is changing it.
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

// typeOf is the type of the resource at path: Microsoft.Contoso/widgets/parts,
// or widgets/parts where no namespace is named.
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

// parseResource reads a resource that a client wrote, and takes out of it the
// provisioningState, which is not the client's to write.
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

// merge is base changed by patch, after RFC 7396. It changes neither.
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

// property sets a property of the resource o, or takes it away where it is nil.
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
