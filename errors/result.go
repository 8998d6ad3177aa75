package errors

// ResultError reports that the operation succeeded but its result could not be read. Read the
// result again, now or later with a resume token. Do not start the operation again.
type ResultError struct {
	URL string // URL of the result, without query and user-info; "" if the result came with the status
	Err error  `json:"-"` // a [*StatusError], or why the result could not be found or decoded
}

// Error returns one line that says why the result could not be read.
func (e *ResultError) Error() string {
	s := "operation succeeded, but its result could not be read"
	if e.Err != nil {
		s += ": " + causeText(e.Err)
	}
	return prefixed(s + "; read the result again")
}

// Unwrap returns Err, redacted as in [StatusError.Unwrap]. errors.As does not find a *StatusError
// in a ResultError, so that callers do not mistake the ResultError for a failed request. To get the
// *StatusError, use Err.
func (e *ResultError) Unwrap() []error { return join(nil, e.Err) }
