package errors

import (
	"strings"

	"github.com/lro-go/lro/internal/redact"
)

// Only pointers to these types are errors. The String methods are for the values, because fmt
// would otherwise print their fields, including secrets.

// String returns the text of the error.
func (e StatusError) String() string { return e.Error() }

// String returns the text of the error.
func (e OperationError) String() string { return e.Error() }

// String returns the text of the error.
func (e ResultError) String() string { return e.Error() }

// String returns the text of the error.
func (e WaitError) String() string { return e.Error() }

// String returns the text of the error.
func (d Detail) String() string { return d.Error() }

// String returns the type and the info on one line.
func (a AdditionalInfo) String() string {
	return strings.TrimSpace(redact.Text(a.Type) + " " + redact.Text(string(a.Info)))
}
