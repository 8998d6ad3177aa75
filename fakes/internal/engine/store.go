package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Put stores a resource as if it had been created long ago. It panics if the body does not encode
// as a JSON object. The service adds id, name and type, and also properties.provisioningState
// unless the body already contains it.
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
	s.Store(&Resource{Path: "/" + strings.Trim(path, "/"), Body: Encode(o), State: state})
}

// Resource returns the response body for a GET of the resource at path, and reports whether the GET
// finds it. URLs in the body have no scheme or host.
func (s *Service) Resource(path string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res, op := s.Visible(path)
	if res == nil {
		return nil, false
	}
	return s.Dialect.Show(s, res, op, ""), true
}

// Visible returns the resource that a GET of path finds, or nil, and the operation in progress on
// that resource, or nil.
func (s *Service) Visible(path string) (*Resource, *Operation) {
	res, op := s.Find(path)
	if res == nil || res.Hidden {
		return nil, nil
	}
	return res, op
}

// Find is like Visible, but also finds hidden resources. It first settles the operations on the
// parent resources, because the end of such an operation may delete the resource.
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

// Store adds res to s, and replaces any resource at the same path.
func (s *Service) Store(res *Resource) {
	k := Key(res.Path)
	s.Resources[k] = res
	s.order.Add(k)
}

// Remove deletes the resource at path and all resources below it.
func (s *Service) Remove(path string) {
	s.order.Remove(Key(path), func(k string) { delete(s.Resources, k) })
}

// Read answers a GET of a resource.
func (s *Service) Read(q *Request) Answer {
	res, op := s.Visible(q.Path)
	if res == nil {
		return s.Dialect.NotFound(q, q.Path)
	}
	return s.show(q, res, op)
}
