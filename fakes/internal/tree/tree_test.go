package tree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// under reports whether path equals root or is below it.
func under(path, root string) bool { return strings.HasPrefix(path+"/", root+"/") }

// After random additions and removals, a Tree contains the same paths as a map, and lists them in
// sorted order. Once all paths are removed, no node is left.
func TestTree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var tree Tree
	model := map[string]bool{}
	key := func() string {
		k := fmt.Sprintf("/a/%d", random.IntN(3))
		if random.IntN(2) == 0 {
			k += fmt.Sprintf("/b/%d", random.IntN(2000))
		}
		if random.IntN(9) == 0 {
			k += fmt.Sprintf("/c/%d", random.IntN(5))
		}
		return k
	}
	children := func(collection string) (names []string) {
		for k := range model {
			if parent, name := cut(k); parent == collection {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	remove := func(k string) {
		var gone []string
		tree.Remove(k, func(k string) { gone = append(gone, k) })
		var want []string
		for other := range model {
			if under(other, k) {
				want = append(want, other)
			}
		}
		require.ElementsMatch(t, want, gone, k)
		maps.DeleteFunc(model, func(other string, _ bool) bool { return under(other, k) })
	}

	for i := range 4000 {
		k := key()
		rarely := strings.Count(k, "/") == 2 // removing such a k also removes many paths below it
		if random.IntN(3) == 0 && (!rarely || i%200 == 0) {
			remove(k)
		} else {
			tree.Add(k)
			model[k] = true
		}
		if i%400 != 0 {
			continue
		}
		for _, collection := range []string{"/a", "/a/0/b", "/a/1/b", "/a/2/b", "/a/1/b/5/c", "/x"} {
			var names []string
			for i := range tree.Children(collection).Len() {
				names = append(names, tree.Children(collection).At(i))
			}
			require.Equal(t, children(collection), names, collection)
		}
	}

	for k := range maps.Clone(model) {
		remove(k)
	}
	require.Empty(t, tree.root.below)
}

// A path's list of children reuses the memory of removed children.
func TestMemoryAfterRemovals(t *testing.T) {
	var tree Tree
	const live = 1000
	for i := range 100 * live {
		tree.Add(fmt.Sprintf("/a/%d", i))
		if i >= live {
			tree.Remove(fmt.Sprintf("/a/%d", i-live), func(string) {})
		}
	}
	require.Equal(t, live, tree.Children("/a").Len())
	require.LessOrEqual(t, cap(tree.Children("/a").sorted), 2*live)
}
