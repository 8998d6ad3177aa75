package fakes

import "strings"

// key returns path in the form in which paths are compared: without regard to
// case.
func key(path string) string { return strings.ToLower("/" + strings.Trim(path, "/")) }

// cut splits the last segment off a path.
func cut(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

func segments(path string) int { return strings.Count(strings.Trim(path, "/"), "/") + 1 }

// under reports whether path is root or below it. Every path is below the empty
// root.
func under(path, root string) bool {
	path, root = key(path), key(root)
	return root == "/" || path == root || strings.HasPrefix(path, root+"/")
}

// scope returns the part of path below which the URLs of an operation are. They
// are not below its resource, because they must outlive it.
func scope(path string) string {
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

// isScope reports whether path exists without being created.
func isScope(path string) bool {
	parent, _ := cut(path)
	_, kind := cut(parent)
	switch strings.ToLower(kind) {
	case "", "subscriptions", "resourcegroups", "providers":
		return true
	}
	return false
}
