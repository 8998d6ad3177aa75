package bench

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	update = flag.Bool("update", false, "measure everything and write it into README.md and plot.svg")
	redraw = flag.Bool("redraw", false, "draw plot.svg from the figures in README.md")
	rounds = flag.Int("rounds", 15, "rounds of -update and -lines")
	some   = flag.String("lines", "", "measure these lines of the table, by `regexp` of their keys, and print them")
)

// The type measured is for lines of the table that are measured together. The flag -lines selects
// them by their key.
type measured struct {
	key  string
	take func(*testing.T) []line
}

// The measurements are in the order of the table.
var measures = []measured{
	{"poll", timedLines},
	{"default", defaultLines},
	{"waiting", one(waitingLine)},
	{"token", one(tokenLine)},
	{"result", resultLines},
	{"fleet", fleetLines},
	{"burst", one(burstLine)},
	{"blocking", one(blockingLine)},
	{"beginMany", one(beginManyLine)},
	{"simulated", one(simulatedLine)},
	{"init", one(initLine)},
}

func one(take func(*testing.T) line) func(*testing.T) []line {
	return func(t *testing.T) []line { return []line{take(t)} }
}

// TestLines measures and prints the lines of the table that the flag -lines selects.
func TestLines(t *testing.T) {
	if *some == "" {
		t.Skip("takes minutes: go test -run TestLines -lines fleet")
	}
	keys, err := regexp.Compile(*some)
	must(t, err)
	var lines []line
	for _, m := range measures {
		if keys.MatchString(m.key) {
			lines = append(lines, m.take(t)...)
		}
	}
	fmt.Print(table(lines))
}

// TestTable measures everything and writes the tables and the plot. It does not check the figures,
// because they depend on the machine's load.
func TestTable(t *testing.T) {
	if !*update {
		t.Skip("takes minutes: go test -run TestTable -update")
	}
	var lines []line
	for _, m := range measures {
		lines = append(lines, m.take(t)...)
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	text := string(readme)
	for name, content := range map[string]string{"machine": machine(), "operations": table(lines), "listings": listingTable(t)} {
		t.Logf("%s\n%s", name, content)
		text, err = between(text, name, content)
		must(t, err)
	}
	must(t, os.WriteFile("README.md", []byte(text), 0o644))
	svg, err := plot(text)
	must(t, err)
	must(t, os.WriteFile("plot.svg", []byte(svg), 0o644))
}

// between replaces everything between two markers in a Markdown text with the given content, and
// returns the new text. The name identifies the markers.
func between(text, name, content string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		return "", fmt.Errorf("README.md has no markers %q", name)
	}
	return before + begin + "\n" + content + "\n" + end + after, nil
}

func TestBetween(t *testing.T) {
	const text = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
	got, err := between(text, "x", "new\n")
	must(t, err)
	if want := "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := between(text, "y", ""); err == nil {
		t.Error("between returned no error for a text without markers")
	}
}
