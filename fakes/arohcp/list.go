package arohcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// listsSubscription reports whether q lists the resources of one type in all resource groups of a
// subscription: GET /subscriptions/{id}/providers/{namespace}/{type}.
func listsSubscription(q *engine.Request) bool {
	parts := strings.Split(engine.Key(q.Path), "/") // parts[0] is empty
	return q.Kind == engine.List && len(parts) == 6 && parts[1] == "subscriptions" && parts[3] == "providers"
}

// inSubscription returns the Finder for q's listing, which is sorted by path. A page's token is the
// index of its first resource.
func inSubscription(s *engine.Service, q *engine.Request) engine.Finder {
	subscription, _, _ := strings.Cut(engine.Key(q.Path), "/providers/")
	kind := engine.TypeOf(engine.Key(q.Path))
	var paths []string
	for path := range s.Resources {
		if strings.HasPrefix(path, subscription+"/") && engine.TypeOf(path) == kind {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)

	return func(from int) ([]json.RawMessage, int) {
		items := []json.RawMessage{}
		for i := from; i < len(paths); i++ {
			res, op := s.Visible(paths[i])
			if res == nil {
				continue
			}
			if s.PageSize > 0 && len(items) == s.PageSize {
				return items, i
			}
			items = append(items, s.Dialect.Show(s, res, op, q.Base))
		}
		return items, 0
	}
}
