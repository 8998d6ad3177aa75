// Package quirks simulates ways in which real services depart from their
// contract, to test how a client copes with them.
//
//	svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
//	svc.Quirk(quirks.DeletingForever, "/widgets/w1")
//
// The documentation of a constant says what the simulated service sends, which
// real service behaves like this, and how that affects a client. docs/quirks.md
// says how package poller copes.
//
// A quirk that consists of one fixed conversation has no constant. Its transcript, in the format of
// fakes.ReadTranscript, is a file in this package. For example, the transcript of the quirk
// W41/html is transcripts/W41/html.http. A Service with such a quirk answers the recorded requests
// from the transcript, regardless of the Plan.
//
//	svc.Quirk(quirks.Quirk("W41/html"), "/widgets/w1")
package quirks

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// A Quirk is a way in which a real service departs from its contract. Its value
// is the name of its row in docs/quirks.md. fakes.Service.Quirk turns it on.
type Quirk string

// All returns all quirks, sorted by name.
func All() []Quirk { return slices.Sorted(maps.Keys(entries())) }

// ByName returns the quirk with the given name, and whether it exists.
func ByName(name string) (Quirk, bool) {
	_, ok := entries()[Quirk(name)]
	return Quirk(name), ok
}

// About returns one line that says what the service does, or "" if there is no
// such quirk.
func (q Quirk) About() string { return entries()[q].about }

// Hooks returns the hooks that fakes.Service.Quirk installs. It panics if there
// is no such quirk.
func (q Quirk) Hooks() engine.Hooks {
	e, ok := entries()[q]
	if !ok {
		panic(fmt.Sprintf("fakes: there is no quirk %q", string(q)))
	}
	return e.hooks()
}

// An entry describes and implements a quirk.
type entry struct {
	quirk Quirk
	about string
	hooks func() engine.Hooks // returns new hooks on each call, because hooks may contain counters
}

// always returns a function that returns h on every call. h must not keep
// state.
func always(h engine.Hooks) func() engine.Hooks { return func() engine.Hooks { return h } }

//go:embed transcripts
var transcripts embed.FS

// entries returns all entries by name.
var entries = sync.OnceValue(func() map[Quirk]entry {
	all := map[Quirk]entry{}
	for _, e := range slices.Concat(
		quirksOfBeginnings, quirksUntold, quirksOfURLs, quirksOfStatuses, quirksOfEndings, quirksOfLostStatuses,
		quirksOfReplicas, quirksOfRefusals, quirksOfEarlySuccess, quirksOfTheWire, quirksOfWords,
	) {
		all[e.quirk] = e
	}
	err := fs.WalkDir(transcripts, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := transcripts.ReadFile(path)
		first, _, _ := strings.Cut(string(text), "\n")
		name := Quirk(strings.TrimSuffix(strings.TrimPrefix(path, "transcripts/"), ".http"))
		all[name] = entry{name, strings.TrimPrefix(first, "# "), always(engine.Hooks{Transcript: string(text)})}
		return err
	})
	if err != nil {
		panic(err) // impossible, because the files are embedded in the program
	}
	return all
})
