package fakes

import "encoding/json"

// A Listing sets the format of a listing's pages. The zero Listing is the format of the Resource
// Provider Contract, which is also the default: a GET returns the items in the value member and the
// next link in the nextLink member. The next link is an absolute URL with a $skiptoken. The last
// page has no next link.
//
//	fakes.Listing{Items: "/widgets", Link: "/next/href", Count: "/total_count", Param: "start"}  // IBM Cloud
//	fakes.Listing{Items: "/widgets", Link: "/next/start", Param: "start", Token: true}           // IBM Cloud, with a token instead of a link
//	fakes.Listing{Link: "/@odata.nextLink", Count: "/@odata.count", Relative: true}              // OData
//	fakes.Listing{Header: "X-Ms-Continuation"}                                                   // a token in a header
//	fakes.Listing{Method: "POST", Link: "/token", Token: true, Member: "token"}                  // a search
type Listing struct {
	Path   string // the path of the collection; all collections by default
	Method string // GET by default

	Items string // JSON pointer to the items; "/value" by default
	Link  string // JSON pointer to the next link; "/nextLink" by default
	Count string // JSON pointer to the total number of items; none by default

	// By default, the token of the next page is in the query of the next link. If Header is set,
	// the token is instead in that header of the response and of the next request. If Member is
	// set, it is in that member of the next request's body.
	Param    string          // the query parameter for the token; "$skiptoken" by default
	Header   string          // the header for the token, which replaces the next link; none by default
	Member   string          // the top-level member for the token in a JSON request body; none by default
	Token    bool            // Link points to the token, not to a URL
	Relative bool            // the next link has no scheme or host
	End      json.RawMessage // the next link of the last page, such as null or ""; none by default

	// The following fields simulate mistakes that services make. Pages are numbered from 1.
	Repeat  int    // the number of a page whose next link points to that same page; none by default
	Foreign string // the origin of all next links, such as https://evil.test; the service's own by default
}
