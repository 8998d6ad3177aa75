package house

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// A block is a fenced code block.
type block struct {
	line     int // the line number of the opening fence
	language string
	file     string // the file that the comment before the block names, or ""
	code     []string
}

var fileComment = regexp.MustCompile(`^<!-- (\S+\.(?:go|http|mjs)) -->$`)

// split separates the prose of a Markdown document from its code blocks. In the prose, empty lines
// replace the blocks, so that line numbers stay the same.
func split(text string) (prose []string, blocks []block) {
	var open *block
	file := ""
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{line: i + 1, language: fence, file: file}
		case isFence:
			blocks = append(blocks, *open)
			open, file = nil, ""
		case open != nil:
			open.code = append(open.code, line)
		default:
			if m := fileComment.FindStringSubmatch(line); m != nil {
				file = m[1]
			} else if line != "" {
				file = ""
			}
			prose = append(prose, line)
			continue
		}
		prose = append(prose, "")
	}
	return prose, blocks
}

// wrong describes what is wrong with a block, or returns "" if the block is correct. It checks only
// Go, HTTP and JavaScript. If a block names a file, the file must contain the block's parts in
// order. If demanded is true, every block except an import declaration must name a file.
func (b block) wrong(fsys fs.FS, demanded bool) string {
	switch {
	case !slices.Contains([]string{"go", "http", "js"}, b.language):
		return ""
	case b.file == "" && demanded && !b.isImport():
		return b.language + " that names no file"
	case b.file == "":
		return ""
	}
	source, err := fs.ReadFile(fsys, b.file)
	if err != nil {
		return "the file " + b.file + " does not exist"
	}
	rest, parts := strings.Split(string(source), "\n"), b.parts()
	for _, part := range parts {
		at := find(rest, part)
		if at < 0 {
			return fmt.Sprintf("not in %s: %s", b.file, part[0])
		}
		rest = rest[at+len(part):]
	}
	if len(parts) == 0 {
		return "an empty block"
	}
	return ""
}

// isImport reports whether the block is an import declaration. Such a block need not quote a file,
// because it may show only some of the file's imports.
func (b block) isImport() bool { return len(b.code) > 0 && b.code[0] == "import (" }

// parts splits the block's code at its gaps.
func (b block) parts() (parts [][]string) {
	var part []string
	for _, line := range append(slices.Clone(b.code), gap) {
		if strings.TrimSpace(line) != gap {
			part = append(part, line)
			continue
		}
		if part = trimmed(part); len(part) > 0 {
			parts = append(parts, part)
		}
		part = nil
	}
	return parts
}

// gap is the line that marks a place in a block where lines of the file may be left out.
const gap = "// ..."

// trimmed returns lines without leading and trailing empty lines.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// find returns the index at which part begins in lines, or -1. It ignores common indentation.
func find(lines, part []string) int {
	part = dedent(part)
	for i := range len(lines) - len(part) + 1 {
		if slices.Equal(dedent(lines[i:i+len(part)]), part) {
			return i
		}
	}
	return -1
}

func dedent(lines []string) []string {
	depth := -1
	for _, line := range lines {
		if line == "" {
			continue
		}
		if n := len(line) - len(strings.TrimLeft(line, "\t")); depth < 0 || n < depth {
			depth = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		if line != "" {
			out[i] = line[depth:]
		}
	}
	return out
}
