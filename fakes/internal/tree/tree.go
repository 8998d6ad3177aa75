// Package tree keeps resource paths in order, so that listing a page or deleting a resource does
// not have to search all paths. It knows nothing about resources or services.
//
// Its entry points are [Tree.Add], [Tree.Remove] and [Tree.Children].
package tree

import (
	"slices"
	"strings"
)

// A Tree is a set of paths, each with a leading slash and no trailing slash. The zero Tree is
// empty.
type Tree struct{ root node }

// A node is a path in the tree, or a prefix of one.
type node struct {
	below map[string]*node // by segment
	names Names            // the segments of the child nodes whose paths are in the tree
}

// segments returns the segments of a path. The empty path has no segments.
func segments(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path[1:], "/")
}

// cut splits the last segment off a path.
func cut(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// at returns the node for path, or nil if path has no node.
func (t *Tree) at(path string) *node {
	n := &t.root
	for _, segment := range segments(path) {
		n = n.below[segment]
		if n == nil {
			return nil
		}
	}
	return n
}

// Add adds path to t. It has no effect if t already contains path.
func (t *Tree) Add(path string) {
	parent := &t.root
	n := &t.root
	for _, segment := range segments(path) {
		parent = n
		if n.below == nil {
			n.below = make(map[string]*node)
		}
		if n.below[segment] == nil {
			n.below[segment] = &node{}
		}
		n = n.below[segment]
	}
	_, name := cut(path)
	parent.names.add(name)
}

// Remove removes a path and all paths below it, and calls the given function with each path it
// removed.
func (t *Tree) Remove(path string, gone func(path string)) {
	above, name := cut(path)
	parent := t.at(above)
	if parent == nil || parent.below[name] == nil {
		return
	}

	parent.below[name].each(path, gone)
	if parent.names.remove(name) {
		gone(path)
	}
	delete(parent.below, name)
	t.prune(above)
}

// each calls f with every path that is below n and in the tree. The path argument is n's own path.
func (n *node) each(path string, f func(path string)) {
	for i := range n.names.Len() {
		f(path + "/" + n.names.At(i))
	}
	for segment, child := range n.below {
		child.each(path+"/"+segment, f)
	}
}

// prune removes the node of a path if neither that path nor any path below it is in the tree. It
// then does the same for each parent in turn.
func (t *Tree) prune(path string) {
	for path != "" {
		above, name := cut(path)
		parent := t.at(above)
		if len(parent.below[name].below) > 0 || parent.names.has(name) {
			return
		}
		delete(parent.below, name)
		path = above
	}
}

// Children returns the last segments of the paths directly below a path. A later change of the tree
// may change the list, so do not keep it.
func (t *Tree) Children(path string) *Names {
	n := t.at(path)
	if n == nil {
		return &Names{}
	}
	return &n.names
}

// Names is a sorted list of names. A slice is fast enough, even for 100,000 names.
type Names struct{ sorted []string }

// Len returns the number of names.
func (s *Names) Len() int { return len(s.sorted) }

// At returns the name at index i, or "" if i is past the end.
func (s *Names) At(i int) string {
	if i >= len(s.sorted) {
		return ""
	}
	return s.sorted[i]
}

func (s *Names) has(name string) bool {
	_, found := slices.BinarySearch(s.sorted, name)
	return found
}

func (s *Names) add(name string) {
	i, found := slices.BinarySearch(s.sorted, name)
	if !found {
		s.sorted = slices.Insert(s.sorted, i, name)
	}
}

// remove removes a name, and reports whether it was in the list.
func (s *Names) remove(name string) bool {
	i, found := slices.BinarySearch(s.sorted, name)
	if found {
		s.sorted = slices.Delete(s.sorted, i, i+1)
	}
	return found
}
