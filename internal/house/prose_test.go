package house

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// marks matches phrases that often make a native reader stumble. A match is a hint, not a verdict.
// Rewrite the sentence instead of looking for a synonym.
var marks = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`tells?|told|goes on|going on|went on|go on|gone on|taken? up|takes up|begun|began|begins? an? (operation|request|wait)`,
	`anew|once more|any more|for ever|for good|meanwhile|as ever|at hand|all the same|that of|those of|of (ours|yours|theirs)`,
	`in the place of|(is|are|has|was) none|is no [a-z]+|whoever|whom|somebody|anybody|everybody|nobody|who (does|has|wants|asks|reads|takes)`,
	`what (is|was|has|had|were) [a-z]+(ed|wn|ne)|all that is|beside|borne|heeds?|yet to|nor does|is to be|was to be|by itself|counts? as`,
	`asks? (again|once|anew)|(is|are|be|was|were) asked`,
}, "|") + `)\b|\bas (it (is|came|was)|they (are|came))([.,;:)]|$)`)

// usual matches exceptions: phrases that contain a mark but that native writers do use.
var usual = regexp.MustCompile(`(?i)\b(tells? (apart|whether)|there (is|are) none|t?here is no [a-z]+|is no (longer|more|need|way|one|such)[a-z]*)\b`)

// marked returns the first mark in a text, or "".
func marked(text string) string { return marks.FindString(usual.ReplaceAllString(text, "")) }

func TestMarked(t *testing.T) {
	for text, want := range map[string]string{
		"It tells what it read.":               "tells",
		"It tells whether it was read.":        "",
		"There is none. It is no longer used.": "",
		"This is no operation.":                "is no operation",
		"The rest stays as it is.":             "as it is.",
		"It stays as it is today.":             "",
		"Cancel is a no-op.":                   "",
		"what was asked for":                   "what was asked",
	} {
		require.Equal(t, want, marked(text), text)
	}
}

// TestPlainEnglish accepts no mark in a README, an error text or the first sentence of a doc
// comment. In other pages and other comments, it accepts at most 5 marks in 1,000 lines.
func TestPlainEnglish(t *testing.T) {
	var strict, loose []string
	lines := 0
	for _, name := range tracked(t, "*.md", "*.go") {
		switch {
		case strings.HasSuffix(name, "CHANGELOG.md"), strings.Contains(name, "/testdata/"):
		case strings.HasSuffix(name, ".md"):
			page(t, name, func(line int, text string) {
				lines++
				if m := marked(text); m != "" && filepath.Base(name) == "README.md" {
					strict = append(strict, fmt.Sprintf("%s:%d: %s", name, line, m))
				} else if m != "" {
					loose = append(loose, fmt.Sprintf("%s:%d: %s", name, line, m))
				}
			})
		case !strings.HasSuffix(name, "_test.go"):
			s, l, n := source(t, name)
			strict, loose, lines = append(strict, s...), append(loose, l...), lines+n
		}
	}
	require.Greater(t, lines, 5000)
	require.Empty(t, strict)
	require.LessOrEqual(t, len(loose)*1000, 5*lines, "%d of %d lines: %s", len(loose), lines, strings.Join(loose, "\n"))
}

// tracked returns the files of this repository, as paths relative to this folder.
func tracked(t *testing.T, patterns ...string) []string {
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"ls-files", "-z", "--"}, patterns...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skip("this is not a clone of the repository, so git cannot list its files")
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Stat(filepath.Join("../..", name)); err == nil { // skip a file that has been deleted since the last commit
			names = append(names, filepath.Join("../..", name))
		}
	}
	return names
}

// page calls do with each line of a Markdown file, except blank lines and the lines of code blocks.
func page(t *testing.T, name string, do func(line int, text string)) {
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	code := false
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for line := 1; scanner.Scan(); line++ {
		switch text := scanner.Text(); {
		case strings.HasPrefix(text, "```"):
			code = !code
		case !code && strings.TrimSpace(text) != "":
			do(line, text)
		}
	}
	require.NoError(t, scanner.Err())
}

// source finds the marks in a Go file. strict holds the marks in error texts and in the first
// sentences of doc comments, loose holds the marks in all comments, and n is the number of comment
// lines.
func source(t *testing.T, name string) (strict, loose []string, n int) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	require.NoError(t, err)
	at := func(p token.Pos, m string) string { return fmt.Sprintf("%s:%d: %s", name, set.Position(p).Line, m) }
	for _, group := range file.Comments {
		for _, c := range group.List {
			n++
			if m := marked(strings.TrimPrefix(c.Text, "//")); m != "" {
				loose = append(loose, at(c.Pos(), m))
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if text := errorText(call); marked(text) != "" {
				strict = append(strict, at(call.Pos(), marked(text)))
			}
		}
		if d := docOf(node); d != nil {
			first, _, _ := strings.Cut(strings.ReplaceAll(d.Text(), "\n", " "), ". ")
			if m := marked(first); m != "" {
				strict = append(strict, at(d.Pos(), m))
			}
		}
		return true
	})
	return strict, loose, n
}

// errorText returns the text that a call to errors.New or fmt.Errorf turns into an error.
func errorText(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || f.Sel.Name != "New" && f.Sel.Name != "Errorf" {
		return ""
	}
	if of, ok := f.X.(*ast.Ident); !ok || of.Name != "errors" && of.Name != "fmt" {
		return ""
	}
	text := ""
	ast.Inspect(call.Args[0], func(node ast.Node) bool { // finds all operands of a concatenation
		if part, ok := node.(*ast.BasicLit); ok {
			unquoted, _ := strconv.Unquote(part.Value)
			text += unquoted
		}
		return true
	})
	return text
}

func TestErrorText(t *testing.T) {
	for code, want := range map[string]string{
		`errors.New("a limit")`:                    "a limit",
		`fmt.Errorf("a "+"limit "+name+": %w", e)`: "a limit : %w",
		`errors.New(text)`:                         "",
		`http.NewRequest("GET", "/", nil)`:         "",
	} {
		call, err := parser.ParseExpr(code)
		require.NoError(t, err)
		require.Equal(t, want, errorText(call.(*ast.CallExpr)), code)
	}
}

func docOf(node ast.Node) *ast.CommentGroup {
	switch n := node.(type) {
	case *ast.File:
		return n.Doc
	case *ast.FuncDecl:
		return n.Doc
	case *ast.GenDecl:
		return n.Doc
	case *ast.TypeSpec:
		return n.Doc
	case *ast.ValueSpec:
		return n.Doc
	}
	return nil
}
