package errors

// A ResultError says that the operation succeeded and its result could not be
// read. Nothing is lost: ask for the result again, now or from a token.
type ResultError struct {
	URL string // of the result, without query and user-info; empty where the result came with the status
	Err error  // a [*StatusError], or why the result does not fit its type
}

// Error says that the operation succeeded, and what came in place of its result.
func (e *ResultError) Error() string {
	s := "operation Succeeded, but its result could not be read"
	if e.Err != nil {
		s += ": " + causeText(e.Err)
	}
	return prefixed(s + "; ask for it again")
}

// Unwrap returns the cause, as that of a [*StatusError] does.
func (e *ResultError) Unwrap() error { return fit(e.Err) }
