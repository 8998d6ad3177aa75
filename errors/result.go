package errors

// ResultError reports that the operation succeeded but its result could not be
// read. Nothing is lost: read the result again, now or with a resume token.
type ResultError struct {
	URL string // of the result, without query and user-info; empty if the result came with the status
	Err error  `json:"-"` // a [*StatusError], or why the result could not be decoded
}

// Error says that the operation succeeded and why its result could not be read.
func (e *ResultError) Error() string {
	s := "operation Succeeded, but its result could not be read"
	if e.Err != nil {
		s += ": " + causeText(e.Err)
	}
	return prefixed(s + "; ask for it again")
}

// Unwrap returns the cause, redacted as described at [StatusError.Unwrap].
func (e *ResultError) Unwrap() error { return fit(e.Err) }
