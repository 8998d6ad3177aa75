// Package pager reads listings that come in pages, of any size.
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
// [Pager.Pages] yields whole pages, with what stands beside the items;
// [Pager.More] and [Pager.NextPage] are the same for a loop of your own.
// [Continue] goes on from a first page that is in hand, such as the result of
// an operation.
//
// # What ends a listing
//
// A page without a link, or with one that is null or empty (resource provider
// API v2.0, "Get Resources in the Resource Group"). The number of items never
// does: an empty page that has a link goes on. A page that is not what it
// should be is an error and not an end: no JSON, no items where Options.Items
// says and other members in their place, a 202. An object that has nothing but
// link, counts and annotations is an empty page, and so is a 204.
//
// # What goes wrong
//
// An error of a page is a [*lroerrors.StatusError]. It leaves the pager where it
// was: ask again, with another context where the first has ended, and the same
// page is read. It wraps
//
//   - ErrForeignOrigin, where the link leads to an origin that may not be asked;
//   - ErrRepeatedLink, where the link is one that this pager has followed;
//   - ErrTooManyPages, where the listing goes on beyond Options.MaxPages;
//   - the context's error and its cause, where the context ended.
//
// Nothing was sent in the first three cases, nor will be if asked again.
//
// # Where it stands
//
// NextPage, Pages and All share one cursor. A loop may be left at any point, and
// what is ranged over next continues there: no item is skipped, and none comes
// twice. [Pager.Place] is that point as text, and Options.From takes it up in
// another process.
//
// # Origins and secrets
//
// A link is used byte for byte. It is followed only to the origin of the first
// request or to one of Options.Origins, never from https to http and never with
// user-info; the redirects of an [*http.Client] as well. Of the first request's
// headers, the client request id, the correlation id and Accept-Language travel
// with every page. No other does, Authorization included: set it in the Doer, or with
// Options.Header. No error and no log record has a query or a credential in it.
package pager
