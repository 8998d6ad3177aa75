package errors

import "errors"

// Values to be asked for with the standard errors.Is.
var (
	// ErrNotDone is returned when the result of an operation is asked for
	// before the operation has ended.
	ErrNotDone = errors.New("lro: operation is not done")

	// ErrCanceled matches an [*OperationError] whose operation was canceled, as
	// opposed to one that failed. It does not match a canceled context.
	ErrCanceled = errors.New("lro: operation was canceled")

	// ErrNoOperation says that a response was accepted by the service but names
	// nothing to poll, or names it in a way that cannot be parsed.
	ErrNoOperation = errors.New("lro: nothing to poll in the response")

	// ErrForeignOrigin says that a URL of the service, of a redirect or of a
	// token leads to an origin that may not be asked. Nothing was sent there.
	ErrForeignOrigin = errors.New("lro: foreign origin")

	// ErrBadToken says that a resume token is not one, is damaged or is of a
	// later version.
	ErrBadToken = errors.New("lro: bad resume token")

	// ErrRepeatedLink says that a page of a listing links to one that has been
	// read before. Nothing was sent: the listing would go on for ever.
	ErrRepeatedLink = errors.New("lro: a page links to one that was read before")

	// ErrTooManyPages says that a listing goes on beyond the pager's MaxPages.
	ErrTooManyPages = errors.New("lro: the listing goes on beyond MaxPages")

	// ErrNoMorePages is returned when the next page of a listing is asked for
	// after the last.
	ErrNoMorePages = errors.New("lro: no more pages")
)
