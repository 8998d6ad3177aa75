package check

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/report"
)

// writers has the formats of a report.
var writers = map[string]func(io.Writer, *report.Report) error{
	"text": report.WriteText, "json": report.WriteJSON, "junit": report.WriteJUnit, "sarif": report.WriteSARIF,
}

var formats = []string{"text", "json", "junit", "sarif"}

// outputs is the flag for the formats and the files of the report.
type outputs []destination

// A destination is a format and a file, or "" for the standard output.
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

// write writes the report to all destinations, and the recording.
func (c *command) write(r *report.Report) error {
	if len(c.target) == 0 {
		c.target = outputs{{format: "text"}}
	}
	for _, to := range c.target {
		if err := writeTo(to.file, c.Stdout, func(w io.Writer) error { return writers[to.format](w, r) }); err != nil {
			return err
		}
	}
	if c.record == "" {
		return nil
	}
	return writeTo(c.record, c.Stdout, func(w io.Writer) error { return report.WriteRecord(w, r) })
}

// writeTo calls write with a new file that only the user may read, or with stdout if there is no name.
func writeTo(name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return write(stdout)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
