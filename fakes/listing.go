package fakes

import "encoding/json"

// A Listing sets the format of the pages of a listing. The zero Listing is the format of the
// Resource Provider Contract, which is also the default: a GET returns the items in the member
// value, and the next link in the member nextLink. The next link is an absolute URL with a
// $skiptoken. The last page does not have a next link.
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
	Param    string          // the query parameter; "$skiptoken" by default
	Header   string          // the header for the token; none by default. If set, no page has a next link
	Member   string          // the member for the token, at the top level of a JSON body; none by default
	Token    bool            // Link points to the token, not to a URL
	Relative bool            // the next link has no scheme or host
	End      json.RawMessage // the next link of the last page, such as null or ""; none by default

	// The following fields simulate mistakes that services make. Pages are numbered from 1.
	Repeat  int    // the number of a page whose next link points to that same page; none by default
	Foreign string // the origin of all next links, such as https://evil.test; none by default
}
