package errors

import (
	"errors"

	"github.com/lro-go/lro/internal/redact"
)

// withheld hides a foreign error whose text may contain a credential, such as the
// error that net/http returns for an unparsable Location. It has no Unwrap method, so
// code that prints a chain of errors one by one prints no credential. errors.Is and
// errors.As still find the hidden error.
type withheld struct{ err error }

func (w *withheld) Error() string { return redact.Text(w.err.Error()) }

func (w *withheld) Is(target error) bool { return errors.Is(w.err, target) }

func (w *withheld) As(target any) bool { return errors.As(w.err, target) }

// fit returns err, or a withheld error if the text of err, or of an error that it
// wraps, may contain a credential.
func fit(err error) error {
	if err == nil || !leaks(err) {
		return err
	}
	return &withheld{err}
}

// leaks reports whether any text in the tree of err needs redaction. Very long texts,
// such as a quoted Location header of 1 MiB, count as leaks without a search, because
// searching them on every Unwrap would be slow. Our own errors never leak.
func leaks(err error) bool {
	switch err.(type) { //nolint:errorlint // each link is looked at
	case *StatusError, *OperationError, *ResultError, *WaitError, *Detail, *withheld:
		return false
	}
	if s := err.Error(); len(s) > 2*redact.MaxText || redact.Masked(s) != s {
		return true
	}
	switch wraps := err.(type) { //nolint:errorlint // see above
	case interface{ Unwrap() error }:
		inner := wraps.Unwrap()
		return inner != nil && leaks(inner)
	case interface{ Unwrap() []error }:
		for _, inner := range wraps.Unwrap() {
			if inner != nil && leaks(inner) {
				return true
			}
		}
	}
	return false
}
