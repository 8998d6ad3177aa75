package bench

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var (
	update = flag.Bool("update", false, "measure everything and write it down")
	rounds = flag.Int("rounds", 15, "rounds of -update")
)

// TestTable measures everything and writes it down. It judges nothing: a noisy
// machine would fail a good change.
func TestTable(t *testing.T) {
	if !*update {
		t.Skip("takes minutes: go test -run TestTable -update")
	}
	lines := slices.Concat(timedLines(t), []line{waitingLine(t)}, resultLines(t), fleetLines(t), []line{simulatedLine(t)})
	readme, err := os.ReadFile("README.md")
	must(t, err)
	text := string(readme)
	for name, content := range map[string]string{"machine": machine(), "operations": table(lines), "listings": listingTable(t)} {
		t.Logf("%s\n%s", name, content)
		text, err = between(text, name, content)
		must(t, err)
	}
	must(t, os.WriteFile("README.md", []byte(text), 0o644))
	must(t, os.WriteFile("plot.svg", []byte(plot(lines)), 0o644))
}

// between puts content between the markers of that name.
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
		t.Error("no error without markers")
	}
}
