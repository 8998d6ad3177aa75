// Package tree keeps the paths of resources in order, so that neither a page of a
// listing nor a deletion has to look at all of them.
//
// It knows paths and their segments. It does not know what is at a path. It is a
// package of its own because nothing in it depends on a service.
//
// Its entry points are [Tree.Add], [Tree.Remove] and [Tree.Children].
package tree

import (
	"slices"
	"strings"
)

// A Tree is a set of paths. Each path starts with a slash and does not end with
// one. The zero Tree is empty.
type Tree struct{ root node }

// A node is a path that is in the tree or leads to one that is.
type node struct {
	below map[string]*node // by segment
	names Names            // those segments in below that are in the tree
}

// segments returns the segments of a path. The empty path has none.
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

// at returns the node of a path, or nil.
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

// Add adds a path.
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

// Remove removes a path and all paths below it, and calls gone with each path
// that it has removed.
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

// each calls f with each path in the tree that is below n, whose own path is given.
func (n *node) each(path string, f func(path string)) {
	for i := range n.names.Len() {
		f(path + "/" + n.names.At(i))
	}
	for segment, child := range n.below {
		child.each(path+"/"+segment, f)
	}
}

// prune removes the node of a path that is not in the tree and leads to none that
// is, and then does the same for the node above it.
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

// Children returns the last segments of the paths in the tree that are directly
// below a path. The list changes when the tree does.
func (t *Tree) Children(path string) *Names {
	n := t.at(path)
	if n == nil {
		return &Names{}
	}
	return &n.names
}

// Names is a sorted list of names, divided into blocks, so that
// adding one of many names moves only the names of one block.
type Names struct{ blocks [][]string }

// maxBlock is the number of names in the longest block.
const maxBlock = 512

// Len returns the number of names.
func (s *Names) Len() int {
	n := 0
	for _, b := range s.blocks {
		n += len(b)
	}
	return n
}

// At returns the name with index i, or "" if there is none.
func (s *Names) At(i int) string {
	for _, b := range s.blocks {
		if i < len(b) {
			return b[i]
		}
		i -= len(b)
	}
	return ""
}

// find returns the place of a name, or where it belongs, and whether it is there.
func (s *Names) find(name string) (block, index int, found bool) {
	block, _ = slices.BinarySearchFunc(s.blocks, name, func(b []string, name string) int {
		return strings.Compare(b[len(b)-1], name)
	})
	if block == len(s.blocks) {
		return block, 0, false
	}
	index, found = slices.BinarySearch(s.blocks[block], name)
	return block, index, found
}

func (s *Names) has(name string) bool {
	_, _, found := s.find(name)
	return found
}

func (s *Names) add(name string) {
	block, index, found := s.find(name)
	if found {
		return
	}
	last := len(s.blocks) - 1
	if last < 0 {
		s.blocks = [][]string{{name}}
		return
	}
	if block > last { // the name comes after all others
		block = last
		index = len(s.blocks[last])
	}

	b := slices.Insert(s.blocks[block], index, name)
	s.blocks[block] = b
	if len(b) > maxBlock {
		half := len(b) / 2
		rest := slices.Clone(b[half:])
		s.blocks[block] = slices.Clip(b[:half])
		s.blocks = slices.Insert(s.blocks, block+1, rest)
	}
}

// remove removes a name, and reports whether it was in the list.
func (s *Names) remove(name string) bool {
	block, index, found := s.find(name)
	if !found {
		return false
	}
	s.blocks[block] = slices.Delete(s.blocks[block], index, index+1)
	if len(s.blocks[block]) == 0 {
		s.blocks = slices.Delete(s.blocks, block, block+1)
	}
	return true
}
