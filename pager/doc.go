// Package pager reads listings of any size, page by page.
//
// Most callers need only [New] and [Pager.All]:
//
//	pages := pager.New[Widget](req, client, nil)
//	for widget, err := range pages.All(ctx) {
//		if err != nil {
//			return err
//		}
//		use(widget)
//	}
//
// [Pager.Pages] yields whole pages, with their count and headers. Use [Pager.More] and
// [Pager.NextPage] in a loop of your own. [Continue] reads a listing whose first page you
// already have, such as the result of an operation.
//
// The package interprets the pages of a listing and follows the links between them. It does not
// depend on package poller. It sends requests only through a [Doer], which also authorizes and
// retries them.
//
// A page whose link is absent, null or empty ends the listing (resource provider API v2.0, "Get
// Resources in the Resource Group"). An empty page with a link does not end it. An object with only
// a link, counts and annotations is an empty page, and so is a 204. Anything unexpected is an error
// rather than the end: a body that is not JSON, an object without Options.Items, or a 202.
//
// If a page cannot be read, the error is a [*lroerrors.StatusError], and the position stays
// unchanged: the next call or loop requests the same page again. The error may wrap
// ErrForeignOrigin (the link leads to an origin that is not allowed), ErrRepeatedLink (this pager
// has followed the link before) or ErrTooManyPages (see Options.MaxPages); these are permanent, and
// the pager sends no request for such a page. If the context ended, the error wraps the context's
// error and its cause.
//
// NextPage, Pages and All share one position. A loop may end at any point, and the next loop or
// call continues there: it neither skips nor repeats an item. [Pager.Place] returns the position as
// text, and Options.From continues from it in another process. Only one goroutine may use a Pager;
// see Options.ReadAhead.
//
// The pager follows a link only to an allowed origin, and does not change its bytes, except that it
// may replace http with https; see Options.Origins and Options.Header. No error and no log record
// contains a query or a credential.
package pager
