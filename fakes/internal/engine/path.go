package engine

import (
	"slices"
	"strings"
)

// Key returns path in a normalized form that identifies a resource. Paths that differ only in case
// have the same Key.
func Key(path string) string { return strings.ToLower("/" + strings.Trim(path, "/")) }

// Cut splits the last segment off a path.
func Cut(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// Segments returns the number of segments in path.
func Segments(path string) int { return strings.Count(strings.Trim(path, "/"), "/") + 1 }

// Under reports whether path equals root or is below it. Every path is below an empty root.
func Under(path, root string) bool {
	path, root = Key(path), Key(root)
	return root == "/" || path == root || strings.HasPrefix(path, root+"/")
}

// Scope returns the prefix with which the URLs of an operation on path start: the subscription and
// the provider namespace, if any. The prefix leaves out the resource's name, because the URLs must
// work even after the resource is deleted.
func Scope(path string) string {
	parts := strings.Split(path, "/") // parts[0] is empty
	if len(parts) < 3 || !strings.EqualFold(parts[1], "subscriptions") {
		return ""
	}
	root := strings.Join(parts[:3], "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, "providers") {
			return root + "/" + strings.Join(parts[i:i+2], "/")
		}
	}
	return root
}

// IsScope reports whether path is a scope, such as a resource group. A scope exists even though no
// request created it.
func IsScope(path string) bool {
	parent, _ := Cut(path)
	_, kind := Cut(parent)
	return slices.Contains([]string{"", "subscriptions", "resourcegroups", "providers"}, strings.ToLower(kind))
}

// TypeOf returns the type of the resource at path, such as
// Microsoft.Contoso/widgets/parts, or just widgets/parts if the path has no
// provider namespace.
func TypeOf(path string) string {
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
