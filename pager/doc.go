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
// [Pager.Pages] yields whole pages, with the count and the headers that came with the
// items. Use [Pager.More] and [Pager.NextPage] in a loop of your own. [Continue] reads a
// listing whose first page you already have, such as the result of an operation.
//
// # What ends a listing
//
// A listing ends with a page whose link is absent, null or empty (resource provider API
// v2.0, "Get Resources in the Resource Group"). The number of items does not matter: an
// empty page with a link is followed by another page. An unexpected page is an error and
// not the end: a body that is not JSON, a page with other members but without the items of
// Options.Items, or a 202. An object that has only a link, counts and annotations is an
// empty page, and so is a 204.
//
// # Errors
//
// The error of a page is a [*lroerrors.StatusError]. It leaves the position unchanged: the
// next call or loop requests the same page again. It may wrap
//
//   - ErrForeignOrigin, if the link leads to an origin that is not allowed;
//   - ErrRepeatedLink, if this pager has followed the link before;
//   - ErrTooManyPages, if the listing is longer than Options.MaxPages;
//   - the context's error and its cause, if the context ended.
//
// The first three errors are permanent, and the pager sends no request for such a page.
//
// # Position
//
// NextPage, Pages and All share one position. A loop may end at any point, and the next
// loop or call continues there: it neither skips nor repeats an item. [Pager.Place] returns
// the position as text, and Options.From continues from it in another process.
//
// # Concurrency and panics
//
// Only one goroutine may use a Pager. With Options.ReadAhead, Pages and All start another
// goroutine, which calls the Doer, UnmarshalJSON of the items, Options.Next and the
// Logger; it ends before the loop does. If one of these panics there, the goroutine ends,
// and the panic is repeated with the same value in the loop, or in NextPage, when the
// failed page is due, or at the latest when the loop ends. runtime.Goexit is repeated in
// the same way. With or without ReadAhead, a panic leaves the position unchanged, and the
// page can be requested again.
//
// # Origins and secrets
//
// The pager uses a link byte for byte. It follows links, and an [*http.Client] redirects,
// only to the origin of the first request or to one of Options.Origins, never from https to
// http and never with user-info. Each page's request repeats only these
// headers of the first request: the client request id, the correlation id and
// Accept-Language. It does not repeat Authorization: set that in the Doer or in
// Options.Header. No error and no log record contains a query or a credential.
package pager
