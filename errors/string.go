package errors

import (
	"fmt"
	"io"
	"strings"

	"github.com/lro-go/lro/internal/redact"
)

// Only pointers to the error types implement error. Without the methods below, fmt would print the
// fields of a value that is not a pointer, and the fields may contain secrets.

// String returns the same text as Error.
func (e StatusError) String() string { return e.Error() }

// String returns the same text as Error.
func (e OperationError) String() string { return e.Error() }

// String returns the same text as Error.
func (e ResultError) String() string { return e.Error() }

// String returns the same text as Error.
func (e WaitError) String() string { return e.Error() }

// Format prints the error's text for every verb, quoted for %q, even for a Detail passed by value.
// There is no String method, because a direct call on a nil *Detail would panic.
func (d Detail) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = fmt.Fprintf(f, "%q", d.Error())
		return
	}
	_, _ = io.WriteString(f, d.Error())
}

// String returns the type and the info on one line.
func (a AdditionalInfo) String() string {
	return strings.TrimSpace(redact.Text(a.Type) + " " + redact.Text(string(a.Info)))
}
