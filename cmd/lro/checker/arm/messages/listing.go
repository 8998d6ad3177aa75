package messages

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const collections = "Get Resources in the Resource Group"

// listing holds the rules for the pages of a listing.
var listing = rule.Table{Topic: "Listings", Rules: []rule.Rule{
	listValue(),
	listItems(),
	listEnd(),
	listLink(),
	listHost(),
	listVersion(),
	listToken(),
	listLoop(),
	listNext(),
}}

func listValue() rule.Rule {
	return rule.Rule{
		ID: "arm-list-value", Severity: rule.Must,
		Title:   "A page contains its items in an array named value.",
		Source:  arm.Provider(collections, "it should return the same body (JSON object with \"value\" property) but omit nextLink entirely (or set to null, not empty string) for future compatibility."),
		Client:  "A client finds no items, and shows an empty listing.",
		Example: `GET /widgets → [{"id":"…"}]`,
		On:      rule.Only(pages, func(_ *trace.Operation, x *trace.Exchange) bool { return x.OK() }),
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			if _, ok := rule.Value(x, "/value").([]any); !ok {
				return "the page has no array named value"
			}
			return ""
		},
	}
}

func listItems() rule.Rule {
	return rule.Rule{
		ID: "arm-list-items", Severity: rule.Must,
		Title:   "Each item of a page has an id, a name and a type.",
		Source:  arm.Provider("Get Resource", "The only GET specific properties are \"name,\" \"type\" and \"id.\""),
		Client:  "A client finds the resource in the listing, but cannot read it.",
		Example: `{"value":[{"name":"w1"}]}`,
		On:      okPages, Broken: incompleteItem,
	}
}

func listEnd() rule.Rule {
	return rule.Rule{
		ID: "arm-list-end", Severity: rule.Must,
		Title:   "On the last page, nextLink is missing or null, but not an empty string.",
		Source:  arm.Provider(collections, "omit nextLink entirely (or set to null, not empty string) for future compatibility."),
		Client:  "A client mistakes the empty string for a URL, and its next request fails.",
		Example: `{"value":[],"nextLink":""}`,
		On:      okPages,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			link, present := x.Lookup("/nextLink")
			if text, isText := link.(string); present && isText && text == "" {
				return "nextLink is an empty string"
			}
			return ""
		},
	}
}

func listLink() rule.Rule {
	return rule.Rule{
		ID: "arm-list-link", Severity: rule.Must,
		Title:   "nextLink is an absolute URL.",
		Source:  arm.Provider(collections, "The nextLink field is expected to point to the URL the client should use to fetch the next page (per server side paging)."),
		Client:  "A client that does not resolve relative URLs stops after the first page.",
		Example: `{"value":[],"nextLink":"/widgets?$skiptoken=2"}`,
		On:      withNextLink,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			u, err := url.Parse(x.Text("/nextLink"))
			if err != nil || !u.IsAbs() || u.Host == "" {
				return "nextLink is not an absolute URL"
			}
			return ""
		},
	}
}

func listHost() rule.Rule {
	return rule.Rule{
		ID: "arm-list-host", Severity: rule.Must,
		Title:   "nextLink has the same scheme and host as the request.",
		Source:  arm.Provider(collections, "\"nextLink\": \"{originalRequestUrl}?$skipToken={opaqueString}\""),
		Client:  "A careful client refuses to send its credential to another host, so it cannot read the next page. A careless client leaks the credential.",
		Example: `{"value":[],"nextLink":"https://10.0.0.7/widgets?$skiptoken=2"}`,
		On:      withNextLink,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			next, asked := x.Resolve(x.Text("/nextLink")), x.Resolve("")
			if next != nil && !sameOrigin(next, asked) {
				return "nextLink leads to " + next.Scheme + "://" + next.Host
			}
			return ""
		},
	}
}

func listVersion() rule.Rule {
	return rule.Rule{
		ID: "arm-list-version", Severity: rule.Should,
		Title:   "nextLink has an api-version if the request had one.",
		Source:  arm.Provider(collections, "NextLink may include all the query parameters (specifically OData $filter) used by the client in the first query."),
		Client:  "A client that uses the URL unchanged gets a 400.",
		Example: `{"value":[],"nextLink":"https://management.example.com/widgets?$skiptoken=2"}`,
		On:      withNextLink,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if arm.LacksVersion(op, x.Text("/nextLink")) {
				return "nextLink has no api-version"
			}
			return ""
		},
	}
}

func listToken() rule.Rule {
	return rule.Rule{
		ID: "arm-list-token", Severity: rule.Should,
		Title:   "nextLink selects the next page with the parameter $skipToken.",
		Source:  arm.Provider(collections, "skipToken: opaque token that allows the resource provider to skip resources already enumerated."),
		Client:  "A gateway that passes on only the standard parameters removes the parameter that selects the page.",
		Example: `{"value":[],"nextLink":"https://management.example.com/widgets?page=2"}`,
		On:      withNextLink,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			next := x.Resolve(x.Text("/nextLink"))
			if next != nil && trace.Query(next, "$skipToken") == "" && trace.Query(next, "skipToken") == "" {
				return "nextLink has no $skipToken"
			}
			return ""
		},
	}
}

func listLoop() rule.Rule {
	return rule.Rule{
		ID: "arm-list-loop", Severity: rule.Must,
		Title:   "No nextLink leads back to an earlier page.",
		Source:  arm.Provider(collections, "Clients must fetch records until the nextLink is not returned back / null."),
		Client:  "A client never finishes the listing.",
		Example: "page 2 with the nextLink of page 1",
		On:      withNextLink,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			next := x.Resolve(x.Text("/nextLink"))
			if next == nil {
				return ""
			}
			isNext := func(other *trace.Exchange) bool { return other.Role == trace.Page && other.URL == next.String() }
			if isNext(x) {
				return "nextLink leads to the page itself"
			}
			if earlier := op.Previous(x, isNext); earlier != nil {
				return "nextLink leads back to request " + strconv.Itoa(earlier.N)
			}
			return ""
		},
	}
}

func listNext() rule.Rule {
	return rule.Rule{
		ID: "arm-list-next", Severity: rule.Must,
		Title:   "A GET of nextLink returns the next page.",
		Source:  arm.Provider(collections, "The nextLink field is expected to point to the URL the client should use to fetch the next page (per server side paging)."),
		Client:  "A client cannot read the rest of the listing.",
		Example: "GET nextLink → 404 Not Found",
		On:      rule.Only(pages, func(op *trace.Operation, x *trace.Exchange) bool { return x != op.Exchanges[0] }), Broken: rule.CodeOtherThan(http.StatusOK),
	}
}

func pages(op *trace.Operation) []*trace.Exchange {
	return rule.With(func(_ *trace.Operation, x *trace.Exchange) bool { return x.Role == trace.Page })(op)
}

func okPages(op *trace.Operation) []*trace.Exchange {
	return rule.Only(pages, func(_ *trace.Operation, x *trace.Exchange) bool {
		_, ok := x.Object()
		return x.OK() && ok
	})(op)
}

func withNextLink(op *trace.Operation) []*trace.Exchange {
	return rule.Only(okPages, rule.HasText("/nextLink"))(op)
}

func incompleteItem(_ *trace.Operation, x *trace.Exchange) string {
	list, _ := rule.Value(x, "/value").([]any)
	for i, item := range list {
		o, _ := item.(map[string]any)
		for _, name := range []string{"id", "name", "type"} {
			if text, _ := o[name].(string); text == "" {
				return "value[" + strconv.Itoa(i) + "] has no " + name
			}
		}
	}
	return ""
}
