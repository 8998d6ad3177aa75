package errors

import "strings"

// The errors are pointers. The String methods below are for those who print
// what one points to, and keep such a text as free of secrets as the error's.

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
