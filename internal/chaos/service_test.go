package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// A world consists of a test's operations and the services that run them. Once it has been created,
// only requests to the services change it.
type world struct {
	operations []*operation
	byName     map[string]*operation
	services   map[string]*fakes.Service // each serves at most perService operations, because a service searches all its plans for each request
	of         map[*operation]*fakes.Service
}

// perService is the number of consecutive operations that share a set of services, with one service
// for each family.
const perService = 100

func newWorld(seed uint64, n int) *world {
	return newWorldOf(func(i int) *operation { return draw(seed, i) }, n)
}

func newWorldOf(draw func(int) *operation, n int) *world {
	w := &world{byName: map[string]*operation{}, services: map[string]*fakes.Service{}, of: map[*operation]*fakes.Service{}}
	for i := range n {
		op := draw(i)
		w.operations = append(w.operations, op)
		w.byName[op.name] = op
		w.of[op] = w.service(op)
		w.of[op].Plan(op.plan)
		if op.exists {
			w.of[op].Put(op.resource, map[string]any{"content": op.was(), "location": "eastus"})
		}
	}
	return w
}

func (w *world) service(op *operation) *fakes.Service {
	key := string(op.family) + string(rune('a'+op.index/perService))
	if w.services[key] == nil {
		w.services[key] = map[family]func() *fakes.Service{
			arm: func() *fakes.Service { return &fakes.Service{} },
			hcp: arohcp.New,
			cloud: func() *fakes.Service {
				return ibmcloud.New(&ibmcloud.Options{Relative: op.index/perService%2 == 0})
			},
		}[op.family]()
	}
	return w.services[key]
}

// A record holds what the service knows about one of the test's operations. The service may have
// started that operation more than once.
type record struct {
	Started []string // the IDs of the operations that the service started, in order
	Endings []string // the final status of each operation in Started, in the service's words
}

// records returns each operation's record, by name, and the number of requests of each kind.
func (w *world) records() (byName map[string]*record, kinds map[fakes.Kind]int) {
	byName, kinds = map[string]*record{}, map[fakes.Kind]int{}
	for _, svc := range w.services {
		for _, r := range svc.Requests() {
			name := r.Header.Get(correlation)
			if name == "" {
				continue // this request does not belong to an operation
			}
			kinds[r.Kind]++
			if byName[name] == nil {
				byName[name] = &record{}
			}
			if rec := byName[name]; r.Kind == fakes.Begin && r.Operation != "" && !slices.Contains(rec.Started, r.Operation) {
				rec.Started = append(rec.Started, r.Operation)
			}
		}
	}
	for name, rec := range byName {
		for _, id := range rec.Started {
			rec.Endings = append(rec.Endings, w.ending(w.byName[name], id))
		}
	}
	return byName, kinds
}

// ending asks the service how the operation with this ID ended. The request bypasses the front, so
// no fault affects it.
func (w *world) ending(op *operation, id string) string {
	path := op.resource
	switch {
	case op.family == arm:
		path = "/subscriptions/" + strings.Split(path, "/")[2] + "/providers/Microsoft.Chaos/operationsStatuses/" + id
	case op.family == hcp:
		path = "/subscriptions/" + strings.Split(path, "/")[2] + "/providers/Microsoft.RedHatOpenShift/locations/eastus/hcpOperationStatuses/" + id + "?api-version=2024-06-10-preview"
	case op.plan.Style&(fakes.Location|ibmcloud.Href) != 0:
		path = "/v1/operations/" + id
	}
	answer := httptest.NewRecorder()
	w.of[op].ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil))
	if answer.Code == http.StatusNotFound {
		return "gone"
	}
	var doc struct {
		Status    string `json:"status"`
		Lifecycle string `json:"lifecycle_state"`
		Last      struct {
			State string `json:"state"`
		} `json:"last_operation"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &doc); err != nil {
		return err.Error()
	}
	return doc.Status + doc.Lifecycle + doc.Last.State
}

// agrees reports whether the service's word for a final status matches the expected outcome.
func agrees(word string, want outcome) bool {
	switch strings.ToLower(word) {
	case "succeeded", "running", "stable", "active":
		return want.State == string(fakes.Succeeded)
	case "gone":
		return want.State == string(fakes.Succeeded) && want.Content == ""
	case "failed":
		return want.State == string(fakes.Failed) || want.State == refused
	case "canceled":
		return want.State == string(fakes.Canceled)
	}
	return false
}
