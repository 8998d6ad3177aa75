package serve

import (
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/lro-go/lro/cmd/lro/internal/control"
	"github.com/lro-go/lro/cmd/lro/internal/faults"
	"github.com/lro-go/lro/fakes"
)

type middleware = func(http.Handler) http.Handler

// A session is the state of a simulator between two resets. The first session starts with the
// simulator. The simulator's mutex guards the counts and the faults.
type session struct {
	handler http.Handler
	service *fakes.Service    // nil if the session replays a recording
	replay  *fakes.Transcript // nil if the session simulates a service

	requests int
	kinds    map[fakes.Kind]int // the number of requests by kind
	started  int                // the number of operations started
	faults   []*activeFault
}

// An activeFault is a fault that applies until it is removed.
type activeFault struct {
	control.Fault
	removed atomic.Bool
}

// add adds a fault to the session. A fault for the nth request counts only requests that arrive
// after add has returned. noteAction makes the log show the fault's action.
func (in *session) add(rule faults.Rule, noteAction func(action string, do middleware) middleware) control.Fault {
	f := &activeFault{Fault: control.Fault{ID: len(in.faults) + 1, Text: rule.Text, Path: rule.Path}}
	in.faults = append(in.faults, f)
	do := noteAction(rule.Action, rule.Do)
	rule.Do = func(next http.Handler) http.Handler {
		faulty := do(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if f.removed.Load() {
				next.ServeHTTP(w, r)
				return
			}
			faulty.ServeHTTP(w, r)
		})
	}
	in.service.Fault(rule.Fault)
	return f.Fault
}

// remaining returns the faults that have not been removed.
func (in *session) remaining() []control.Fault {
	left := []control.Fault{}
	for _, f := range in.faults {
		if !f.removed.Load() {
			left = append(left, f.Fault)
		}
	}
	return left
}

// remove removes the fault with the given ID, and reports whether there was one.
func (in *session) remove(id int) bool {
	i := slices.IndexFunc(in.faults, func(f *activeFault) bool { return f.ID == id })
	return i >= 0 && !in.faults[i].removed.Swap(true)
}
