package serve

import (
	"fmt"
	"path"
	"strings"
)

// welcome returns the first lines of output: the service's URL, and commands to copy. URLs are in
// double quotes, which every shell understands. The parameter trust says how to trust the
// certificate, and is "" without --tls. The parameter control is the URL of the control interface,
// or "" without --control.
func (s *simulator) welcome(base, control, trust string) string {
	lines := s.options.title(base, s.session)
	if trust != "" {
		lines = append(lines, trust)
	}
	create := ""
	if s.session.replay == nil {
		examples := s.options.examples(base)
		create = examples[0]
		lines = append(lines, "Commands to try in another terminal:\n")
		lines = append(lines, examples...)
	}
	if control != "" {
		lines = append(lines, controlExamples(control, create)...)
	}
	return strings.Join(append(lines, "\n"+header+"\n"), "\n")
}

// title returns the lines that name the service or recording, its URL and its quirks.
func (o *options) title(base string, in *session) []string {
	if in.replay != nil {
		return []string{
			fmt.Sprintf("Replaying %s at %s until Ctrl-C.", o.replay, base),
			fmt.Sprintf("Send the %s of the recording in the same order. Any other request gets a", plural(in.replay.Remaining(), "request")),
			"417 that says how it differs, and does not count.",
		}
	}
	s, _ := o.mustChoose()
	lines := []string{fmt.Sprintf("Simulating %s at %s until Ctrl-C.", s.title, base)}
	for _, q := range o.quirks {
		lines = append(lines, fmt.Sprintf("Quirk %s: %s.", q, q.About()))
	}
	return lines
}

// mustChoose returns the style and the strategy that the options select. It panics if the options
// are wrong. This cannot happen, because the service was created from the same options.
func (o *options) mustChoose() (style, strategy) {
	s, way, err := o.chosen()
	if err != nil {
		panic(err)
	}
	return s, way
}

// examples returns commands that use the service. The first one creates a resource.
func (o *options) examples(base string) []string {
	s, way := o.mustChoose()
	collection := path.Dir(way.path)
	follow, pages := s.exampleFlags(way)
	url := func(path string) string { return `"` + base + path + s.query + `"` }
	commands := []string{
		"  curl -i -X PUT " + url(way.path) + s.curlFlags() + ` -d "{}"`,
		"  lro put " + url(collection+"/by-lro") + ` -d "{}"` + follow,
		"  lro get " + url(collection) + pages,
	}
	if o.itemCount() > 0 {
		commands = append(commands, "  lro delete "+url(collection+"/item1")+follow)
	}
	return commands
}

// controlExamples returns example commands for the control interface. The parameter create is a
// command that starts an operation, or "" for a replay.
func controlExamples(base, create string) []string {
	lines := []string{
		"\nControl it at " + base + " in a browser, or with these commands:\n",
		`  curl "` + base + `/health"`,
		`  curl -X POST "` + base + `/reset"`,
	}
	if create != "" {
		lines = append(lines,
			create,
			`  curl -X POST "`+base+`/operations/00000000-0000-4000-8000-000000000001/fail"`,
			`  curl "`+base+`/operations"`,
			`  curl -X POST "`+base+`/faults" -d "{\"fault\":\"poll:1:503=10s\"}"`,
			`  curl -X DELETE "`+base+`/faults/1"`,
		)
	}
	return append(lines, `  curl "`+base+`/requests"`)
}
