package record

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of moves into docs/moves.md")

// The tables in docs/moves.md contain the rows that TestMoves checks.
func TestMovesDoc(t *testing.T) {
	const name, begin, end = "../../docs/moves.md", "<!-- moves -->\n", "<!-- end of moves -->"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, hasBegin := strings.Cut(string(text), begin)
	current, after, hasEnd := strings.Cut(rest, end)
	require.True(t, hasBegin && hasEnd, "docs/moves.md has no markers for the tables")
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+tables()+end+after), 0o644))
		return
	}
	want := strings.Split(tables(), "\n")
	got := strings.Split(current, "\n")
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i], got[i], "line %d of the tables; run go test ./internal/record -update", i)
	}
	require.Len(t, got, len(want), "run go test ./internal/record -update")
}

// tables returns the generated part of docs/moves.md. It has a section for each situation, which
// contains a table.
func tables() string {
	var b strings.Builder
	for _, s := range situations {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", s.title, s.about)
		b.WriteString("| Read | Event | Phase | Next read | Pause | Failures | The wait |\n|---|---|---|---|---|---|---|\n")
		for _, m := range s.moves {
			b.WriteString(m.text(readOf(s.from())) + "\n")
		}
	}
	return b.String() + "\n"
}
