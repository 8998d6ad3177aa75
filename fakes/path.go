package fakes

import "strings"

// key is how a path is compared: without case.
func key(path string) string { return strings.ToLower("/" + strings.Trim(path, "/")) }

// cut splits off the last segment of a path.
func cut(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

func segments(path string) int { return strings.Count(strings.Trim(path, "/"), "/") + 1 }

// under says whether path is root or something below it; everything is below
// the empty root.
func under(path, root string) bool {
	path, root = key(path), key(root)
	return root == "/" || path == root || strings.HasPrefix(path, root+"/")
}

// scope is the part of path that the URLs of operations are below: those of an
// operation below its resource would be gone with the resource.
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

// isScope says whether path is something that is there without being created.
func isScope(path string) bool {
	parent, _ := cut(path)
	_, kind := cut(parent)
	switch strings.ToLower(kind) {
	case "", "subscriptions", "resourcegroups", "providers":
		return true
	}
	return false
}
