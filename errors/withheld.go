package errors

import "errors"

// withheld is an error of somebody else's with a text that holds what looks like a
// credential, such as net/http's of a Location that is no URL. It is not unwrapped, so
// that who prints a chain of errors link by link prints none; errors.Is and errors.As
// look through it.
type withheld struct{ err error }

func (w *withheld) Error() string { return oneLine(w.err.Error()) }

func (w *withheld) Is(target error) bool { return errors.Is(w.err, target) }

func (w *withheld) As(target any) bool { return errors.As(w.err, target) }

// fit returns err, withheld if it, or what it wraps, tells a credential.
func fit(err error) error {
	if err == nil || !tells(err) {
		return err
	}
	return &withheld{err}
}

// tells reports whether a text within the tree of err needs redaction, or is longer
// than ours are: that of a Location is, of a mebibyte, and would be looked through each
// time somebody asks for a link. Our own do not.
func tells(err error) bool {
	switch err.(type) { //nolint:errorlint // each link is looked at
	case *StatusError, *OperationError, *ResultError, *WaitError, *Detail, *withheld:
		return false
	}
	if s := err.Error(); len(s) > 2*maxText || redacted(s) != s {
		return true
	}
	switch wraps := err.(type) { //nolint:errorlint // see above
	case interface{ Unwrap() error }:
		inner := wraps.Unwrap()
		return inner != nil && tells(inner)
	case interface{ Unwrap() []error }:
		for _, inner := range wraps.Unwrap() {
			if inner != nil && tells(inner) {
				return true
			}
		}
	}
	return false
}
