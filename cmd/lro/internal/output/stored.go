package output

import (
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lro-go/lro/poller"
)

// A Stored describes the operation in a token file.
type Stored struct {
	File      string
	Operation string        // the first request's method and URL, without the query; for an azcore token, only the status URL
	Status    poller.Status // the last known status; zero if the file is not a readable token
	LastRead  time.Time     // when lro read that status; zero if unknown
	Problem   string        // why the operation cannot be resumed; "" if it can
}

// A storedLine is a Stored as a line of JSON.
type storedLine struct {
	File      string      `json:"file"`
	Operation string      `json:"operation,omitempty"`
	Status    *statusLine `json:"status,omitempty"`
	LastRead  time.Time   `json:"lastRead,omitzero"`
	Problem   string      `json:"problem,omitempty"`
}

// Tokens prints a line for each token file.
func (p *Printer) Tokens(files []Stored) error {
	if p.opts.StdoutJSON {
		return p.tokenLines(files)
	}
	if len(files) == 0 {
		p.Note("there is no token file")
	}
	table := tabwriter.NewWriter(p.opts.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range files {
		cells := []string{Clean(f.File)}
		if f.Status.State != "" {
			cells = append(cells, describe(f.Status.State, f.Status.Word), age(f.LastRead), f.Operation)
		}
		if f.Problem != "" {
			cells = append(cells, problemText(f.Problem))
		}
		say(table, "%s\n", strings.Join(cells, "\t")) // Flush reports any write error
	}
	return table.Flush()
}

// tokenLines prints a line of JSON for each token file, and then one with the number of files.
func (p *Printer) tokenLines(files []Stored) error {
	for _, f := range files {
		line := storedLine{File: f.File, Operation: f.Operation, LastRead: f.LastRead, Problem: problemText(f.Problem)}
		if f.Status.State != "" {
			status := newStatusLine(f.Status)
			line.Status = &status
		}
		if err := writeLine(p.opts.Stdout, map[string]storedLine{"item": line}); err != nil {
			return err
		}
	}
	return writeLine(p.opts.Stdout, map[string]any{"result": map[string]int{"items": len(files)}})
}

// problemText removes the module's prefix from a problem and makes the rest safe to print.
func problemText(s string) string { return Clean(withoutPrefix(s)) }

// age says how long ago lro read a status, or that it has not read one yet.
func age(t time.Time) string {
	d := time.Since(t)
	if t.IsZero() {
		return "not read yet"
	}
	if d < time.Second {
		return "read just now"
	}
	return "read " + d.Round(time.Second).String() + " ago"
}
