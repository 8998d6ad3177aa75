package errors

import (
	"fmt"
	"log/slog"
	"strings"
)

// The errors are pointers. The String methods below are for those who print
// what one points to, and keep such a text as free of secrets as the error's. Those
// of GoString and LogValue do the same for %#v and for log/slog, whose JSON would
// else hold every field.

// String returns the text of the error.
func (e StatusError) String() string { return e.Error() }

// String returns the text of the error.
func (e OperationError) String() string { return e.Error() }

// String returns the text of the error.
func (e ResultError) String() string { return e.Error() }

// String returns the text of the error.
func (e WaitError) String() string { return e.Error() }

// String returns type and info on one line.
func (a AdditionalInfo) String() string {
	return strings.TrimSpace(oneLine(a.Type) + " " + oneLine(string(a.Info)))
}

// GoString returns the text of the error.
func (e StatusError) GoString() string { return goString("StatusError", e.Error()) }

// LogValue returns the text of the error.
func (e StatusError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// GoString returns the text of the error.
func (e OperationError) GoString() string { return goString("OperationError", e.Error()) }

// LogValue returns the text of the error.
func (e OperationError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// GoString returns the text of the error.
func (e ResultError) GoString() string { return goString("ResultError", e.Error()) }

// LogValue returns the text of the error.
func (e ResultError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// GoString returns the text of the error.
func (e WaitError) GoString() string { return goString("WaitError", e.Error()) }

// LogValue returns the text of the error.
func (e WaitError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// GoString returns the text of the error.
func (d Detail) GoString() string { return goString("Detail", d.Error()) }

// LogValue returns the text of the error.
func (d Detail) LogValue() slog.Value { return slog.StringValue(d.Error()) }

// GoString returns what String does.
func (a AdditionalInfo) GoString() string { return goString("AdditionalInfo", a.String()) }

// LogValue returns what String does.
func (a AdditionalInfo) LogValue() slog.Value { return slog.StringValue(a.String()) }

func goString(name, text string) string { return fmt.Sprintf("errors.%s(%q)", name, text) }
