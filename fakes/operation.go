package fakes

import (
	"cmp"
	"slices"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// An Operation is a snapshot of an operation in a [Service].
type Operation struct {
	ID     string
	Method string    // the method of the request that started it
	Path   string    // the path of the resource or the action
	Status string    // as the service reports it, such as Provisioning
	Start  time.Time // when it started
	End    time.Time // when it ended; zero while it is in progress

	// Ending is the terminal state. Unless it is Succeeded, Error is the error the service reports.
	// Both fields are empty while the operation is in progress.
	Ending Ending
	Error  Error
}

// Operations returns all operations the service has not forgotten, in the order they started. The
// call is not treated as a poll.
func (s *Service) Operations() []Operation {
	var all []Operation
	s.configured().Each(func(op *engine.Operation) {
		o := Operation{
			ID: op.ID, Method: op.Method, Path: op.Target, Status: op.Status(), Start: op.Start,
			End: op.End, Ending: op.Ending,
		}
		if op.Failure != nil {
			o.Error = fromEngine(*op.Failure)
		}
		all = append(all, o)
	})
	slices.SortFunc(all, func(a, b Operation) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Cancel cancels an operation in progress and reports whether there was one. The name is the ID or
// the Path of the [Operation]. In a service of package ibmcloud, the Path of an action is the path
// of the resource.
func (s *Service) Cancel(name string) bool { return s.End(name, Canceled, Error{}) }

// Finish immediately ends an operation in progress, with the outcome set by its Plan. It reports
// whether there was such an operation. Use it for an operation with the Duration [Forever]. The
// name is the ID or the Path of the [Operation].
func (s *Service) Finish(name string) bool {
	return s.configured().EndNow(name, func(p engine.Plan) (Ending, engine.Error) { return p.Ending, p.Error })
}

// End immediately ends an operation in progress, regardless of its Plan. It reports whether there
// was such an operation. An operation that does not succeed reports err or, if err is zero, a
// default error for e. The name is the ID or the Path of the [Operation].
func (s *Service) End(name string, e Ending, err Error) bool {
	return s.configured().EndNow(name, func(engine.Plan) (Ending, engine.Error) { return e, err.engine() })
}

// Forget makes the service forget an operation that has ended, as if [Service].Expire had passed:
// its URLs return 404. Forget reports whether there was such an operation. It never forgets an
// operation in progress. The name is the ID or the Path of the [Operation].
func (s *Service) Forget(name string) bool { return s.configured().ForgetNow(name) }
