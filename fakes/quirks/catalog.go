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

// All returns all quirks, sorted by name.
func All() []Quirk { return slices.Sorted(maps.Keys(catalog())) }

// ByName returns the quirk with the given name, and reports whether it exists.
func ByName(name string) (Quirk, bool) {
	_, ok := catalog()[Quirk(name)]
	return Quirk(name), ok
}

// About returns a one-line description of the quirk, or "" if there is no such
// quirk.
func (q Quirk) About() string { return catalog()[q].summary }

// Hooks returns the hooks that fakes.Service.Quirk installs. It panics if q is unknown.
func (q Quirk) Hooks() engine.Hooks {
	e, ok := catalog()[q]
	if !ok {
		panic(fmt.Sprintf("fakes: there is no quirk %q", string(q)))
	}
	return e.hooks()
}

// catalog returns the entries of all quirks, by name.
var catalog = sync.OnceValue(func() map[Quirk]entry {
	recorded, err := readTranscripts()
	if err != nil {
		panic(err) // impossible, because the files are embedded in the program
	}

	all := map[Quirk]entry{}
	for _, e := range slices.Concat(
		firstResponseQuirks, urlQuirks, wireQuirks, statusQuirks, wordQuirks, lostStatusQuirks, hiddenProgressQuirks,
		endingQuirks, earlySuccessQuirks, replicaQuirks, refusalQuirks, deleteQuirks, purgeQuirks, registrationQuirks, recorded,
	) {
		all[e.quirk] = e
	}
	return all
})

//go:embed transcripts
var transcripts embed.FS

// readTranscripts returns an entry for each recorded conversation. The quirk's name is the file's
// path below transcripts, without .http. The summary is the file's first line.
func readTranscripts() ([]entry, error) {
	var entries []entry
	err := fs.WalkDir(transcripts, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}

		text, err := transcripts.ReadFile(path)
		if err != nil {
			return err
		}

		name := strings.TrimSuffix(strings.TrimPrefix(path, "transcripts/"), ".http")
		heading, _, _ := strings.Cut(string(text), "\n")
		summary := strings.TrimPrefix(heading, "# ")
		entries = append(entries, entry{Quirk(name), summary, always(engine.Hooks{Transcript: string(text)})})
		return nil
	})
	return entries, err
}
