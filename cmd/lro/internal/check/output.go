package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/report"
)

// writers maps each format to the function that writes it.
var writers = map[string]func(io.Writer, *report.Report) error{
	"text": report.WriteText, "json": report.WriteJSON, "junit": report.WriteJUnit, "sarif": report.WriteSARIF,
}

var formats = []string{"text", "json", "junit", "sarif"}

// outputs is the value of the --output flag: the formats and files of the report.
type outputs []destination

// A destination is the format of a report and the file to write it to. If file is "", the report
// goes to standard output.
type destination struct{ format, file string }

func (o *outputs) String() string { return "" }
func (o *outputs) Type() string   { return "format" }

func (o *outputs) Set(s string) error {
	format, file, _ := strings.Cut(s, "=")
	if !slices.Contains(formats, format) {
		return fmt.Errorf("the format must be one of %s", strings.Join(formats, ", "))
	}
	*o = append(*o, destination{format, file})
	return nil
}

// open creates the files for the report and the recording before the first request, so that a bad
// file name fails right away.
func (c *command) open() error {
	if len(c.target) == 0 {
		c.target = outputs{{format: "text"}}
	}
	for _, to := range c.target {
		if to.file == "" {
			continue
		}
		file, err := os.OpenFile(to.file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		c.files[to.file] = file
	}
	if c.record == "" {
		return nil
	}
	file, err := os.OpenFile(c.record, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("--record: %s already exists; remove it, or choose another name", c.record)
	}
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	c.files[c.record] = file
	return nil
}

// write writes the report to all destinations, writes the recording, and closes the files.
func (c *command) write(r *report.Report) error {
	var failed []error
	for _, to := range c.target {
		w := c.Stdout
		if to.file != "" {
			w = c.files[to.file]
		}
		failed = append(failed, writers[to.format](w, r))
	}
	if c.record != "" {
		failed = append(failed, report.WriteRecord(c.files[c.record], r))
	}
	for _, file := range c.files {
		failed = append(failed, file.Close())
	}
	return errors.Join(failed...)
}
