// Package quirks has the ways in which real services depart from their contract,
// to test how a client copes with them.
//
//	svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
//	svc.Quirk(quirks.DeletingForever, "/widgets/w1")
//
// The documentation of a [Quirk] says what crosses the wire, which service does
// it, and what it does to a client. The page docs/quirks.md says how package
// poller copes.
package quirks

import (
	"fmt"
	"slices"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Quirk is a way in which a real service departs from its contract. Its value
// is the name of its row in docs/quirks.md. fakes.Service.Quirk turns it on.
type Quirk string

// All returns all quirks, sorted by name.
func All() []Quirk {
	var all []Quirk
	for _, e := range entries {
		all = append(all, e.quirk)
	}
	slices.Sort(all)
	return all
}

// ByName returns the quirk with this name, and whether there is one.
func ByName(name string) (Quirk, bool) {
	_, ok := Quirk(name).entry()
	return Quirk(name), ok
}

// About returns one line that says what the service does. It is "" if there is
// no such quirk.
func (q Quirk) About() string {
	e, _ := q.entry()
	return e.about
}

// Hooks is for fakes.Service.Quirk. It panics if there is no such quirk.
func (q Quirk) Hooks() engine.Hooks {
	e, ok := q.entry()
	if !ok {
		panic(fmt.Sprintf("fakes: there is no quirk %q", string(q)))
	}
	return e.hooks()
}

// An entry is what this package knows about a quirk.
type entry struct {
	quirk Quirk
	about string
	hooks func() engine.Hooks // new ones for each call, because hooks may count
}

// always returns hooks that keep no state.
func always(h engine.Hooks) func() engine.Hooks { return func() engine.Hooks { return h } }

var entries = slices.Concat(
	quirksOfBeginnings, quirksUntold, quirksOfURLs, quirksOfStatuses, quirksOfEndings, quirksOfLostStatuses,
	quirksOfReplicas, quirksOfRefusals, quirksOfEarlySuccess, quirksOfErrors, quirksOfTheWire, quirksOfWords,
)

func (q Quirk) entry() (entry, bool) {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.quirk == q })
	if i < 0 {
		return entry{}, false
	}
	return entries[i], true
}
