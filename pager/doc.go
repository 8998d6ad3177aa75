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
// [Pager.NextPage] in a loop of your own. [Continue] reads a listing whose first page you already
// have, such as the result of an operation.
//
// The package interprets the pages of a listing and follows the links between them. It does not
// depend on package poller. A [Doer] sends its requests, and also authorizes and retries them.
//
// A page whose link is absent, null or empty ends the listing (resource provider API v2.0, "Get
// Resources in the Resource Group"). An empty page with a link does not end it. A 204 is an empty
// page, and so is an object with only a link, counts and annotations. Anything unexpected, such as
// a 202, a body that is not JSON, or an object that lacks Options.Items but has an unknown member,
// is an error and does not end the listing.
//
// If a page cannot be read, the error is a [*lroerrors.StatusError], and the position stays
// unchanged: the next call or loop requests the same page again. The error may wrap
// ErrForeignOrigin (the origin of a link or redirect is not allowed), ErrRepeatedLink (this pager
// followed the link before) or ErrTooManyPages (see Options.MaxPages). Unless such an error comes
// from a redirect, it is permanent: every later call or loop returns it again and sends nothing. If
// ctx has ended, the error wraps ctx.Err() and the cause.
//
// NextPage, Pages and All share one position. A loop may end at any point, and the next loop or
// call continues there, without skipping or repeating an item. [Pager.Place] returns the position
// as text, and Options.From continues from it in another process. Only one goroutine may use a
// Pager; see Options.ReadAhead.
//
// The pager follows links only to allowed origins. It does not normalize a link, but may request it
// over https instead of http; see Options.Origins and Options.Header. Errors and logs contain no
// query or credential.
package pager
