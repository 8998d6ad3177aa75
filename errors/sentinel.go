package errors

import "errors"

// Check for these errors with errors.Is from the standard library.
var (
	// ErrNotDone reports that a caller asked for the result of an operation that has not ended.
	ErrNotDone = errors.New("lro: operation is not done")

	// ErrCanceled matches an [*OperationError] if the operation was canceled, not if it failed. It
	// does not match a canceled context's error.
	ErrCanceled = errors.New("lro: operation was canceled")

	// ErrNotFound matches a [*StatusError] with the status code 404 or 410. The read function
	// passed to poller.Watch can also return it.
	ErrNotFound = errors.New("lro: not found")

	// ErrNoOperation reports that the service accepted a request, but its response contains no
	// usable URL to poll.
	ErrNoOperation = errors.New("lro: no usable URL to poll in the response")

	// ErrUnfollowable matches a [*WaitError] whose Reason is ReasonUnfollowable: the service
	// accepted the request, but the poller cannot follow the operation with these options. The
	// caller can still use the response body, or store the resume token and stop.
	ErrUnfollowable = errors.New("lro: the operation cannot be followed")

	// ErrForeignOrigin reports that a URL from a response, a redirect or a token has an origin that
	// is not allowed. Nothing was sent to that origin. The allowed origins are those in
	// Options.Origins and, except after poller.Resume, the origin of the first request.
	ErrForeignOrigin = errors.New("lro: foreign origin")

	// ErrBadToken reports that a resume token is invalid or damaged.
	ErrBadToken = errors.New("lro: bad resume token")

	// ErrNewerToken reports that a resume token was written by a later release of this module. The
	// token is valid: keep it, and resume the operation with that release.
	ErrNewerToken = errors.New("lro: the resume token is from a later release")

	// ErrNotSent matches a [*StatusError] if this module knows that no request was sent, for
	// example because there was no connection, an option is invalid, or the Token function of
	// package transport failed. It also matches the error passed to the Policy of package transport
	// after an attempt that was not sent.
	ErrNotSent = errors.New("lro: the request was not sent")

	// ErrRepeatedLink reports that a page of a listing links to a page that was already read. The
	// pager does not follow such a link, because otherwise the listing would never end.
	ErrRepeatedLink = errors.New("lro: a page links to a page that has already been read")

	// ErrTooManyPages reports that a listing has more pages than the pager's MaxPages allows.
	ErrTooManyPages = errors.New("lro: the listing has more pages than MaxPages allows")

	// ErrNoMorePages reports that a caller requested a page after the last one.
	ErrNoMorePages = errors.New("lro: no more pages")
)
