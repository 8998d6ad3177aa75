package features

import (
	"context"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/odata"

	"github.com/lro-go/lro/pager"
)

var listingRows = []row{
	{"Pages arrive one by one", "yes", "no: all at once", "yes", onePage},
	{"Reads the next page ahead", "no", "no", "by `ReadAhead`", readAhead},
	{"An empty page in the middle", "yes", "yes", "yes", emptyPage},
	{"A nextLink to another host", "no: sends the credential there", "no: sends the credential there", "yes: refuses it", foreignPage},
	{"A relative nextLink", "by `NewRequestForNextLink`", "no: an error", "yes", relativePage},
	{"A nextLink that leads to the same page again", "no: keeps reading", "no: keeps reading", "yes: an error", repeatedPage},
	{"A page can be read again after a refusal", "no: returns the same error again", "no: starts again at the first page", "yes", pageAgain},
}

const (
	widgets = group + "/widgets"
	page1   = "GET " + widgets
	page2   = "GET " + widgets + "/2"
	page3   = "GET " + widgets + "/3"
)

// A pageReader reads the next page and reports whether another one follows.
type pageReader func(ctx context.Context) (names []string, more bool, err error)

// lister returns a pageReader that reads the listing of s with the subject's pager.
func lister(t *testing.T, subject string, s *scripted) pageReader {
	t.Helper()
	switch subject {
	case azcore:
		return azcoreLists(t, s, nil)
	case hashicorp:
		return hashicorpLists(t, s)
	default:
		return lroLists(t, s)
	}
}

// azcoreLists returns a pageReader that reads a listing as a generated client does. opts may be
// nil.
func azcoreLists(t *testing.T, s *scripted, opts *azruntime.FetcherForNextLinkOptions) pageReader {
	pl, err := azcorePipeline(s)
	must(t, err)
	p := azruntime.NewPager(azruntime.PagingHandler[list]{
		More: func(l list) bool { return l.NextLink != "" },
		Fetcher: func(ctx context.Context, l *list) (list, error) {
			link := ""
			if l != nil {
				link = l.NextLink
			}
			resp, err := azruntime.FetcherForNextLink(ctx, pl, link, func(ctx context.Context) (*policy.Request, error) { //nolint:bodyclose // UnmarshalAsJSON closes the body
				return azruntime.NewRequest(ctx, http.MethodGet, arm+widgets+version)
			}, opts)
			if err != nil {
				return list{}, err
			}
			var next list
			err = azruntime.UnmarshalAsJSON(resp, &next)
			return next, err
		},
	})
	return func(ctx context.Context) ([]string, bool, error) {
		l, err := p.NextPage(ctx)
		return namesOf(l.Value), p.More(), err
	}
}

// nextLink implements odata.CustomPager, like the pagers in go-azure-sdk's generated clients.
type nextLink struct {
	NextLink *odata.Link `json:"nextLink"`
}

func (l *nextLink) NextPageLink() *odata.Link {
	next := l.NextLink
	l.NextLink = nil
	return next
}

func hashicorpLists(t *testing.T, s *scripted) pageReader {
	c, err := hashicorpManager(s)
	must(t, err)
	return func(ctx context.Context) ([]string, bool, error) {
		ctx, cancel := context.WithTimeout(ctx, 1<<40)
		defer cancel()
		resp, err := hashicorpPages(ctx, c)
		if err != nil {
			return nil, false, err
		}
		var l list
		err = resp.Unmarshal(&l)
		return namesOf(l.Value), false, err
	}
}

func hashicorpPages(ctx context.Context, c *resourcemanager.Client) (*client.Response, error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType: "application/json; charset=utf-8", ExpectedStatusCodes: []int{http.StatusOK},
		HttpMethod: http.MethodGet, Path: widgets, Pager: &nextLink{},
	})
	if err != nil {
		return nil, err
	}
	return req.ExecutePaged(ctx)
}

func lroLists(t *testing.T, s *scripted) pageReader {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, arm+widgets+version, http.NoBody)
	must(t, err)
	p := pager.New[widget](req, lroClient(s), nil)
	return func(ctx context.Context) ([]string, bool, error) {
		page, err := p.NextPage(ctx)
		return namesOf(page.Items), p.More(), err
	}
}

func namesOf(all []widget) []string {
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
	}
	return names
}

// page returns a handler that sends a page with the given widgets and next link.
func page(items, next string) http.HandlerFunc {
	return says(http.StatusOK, `{"value":[`+items+`],"nextLink":"`+next+`"}`)
}

func readAll(t *testing.T, subject string, s *scripted) (names []string, err error) {
	t.Helper()
	return readPages(t, lister(t, subject, s))
}

func readPages(t *testing.T, next pageReader) (names []string, err error) {
	t.Helper()
	for more := true; more && err == nil; {
		var some []string
		some, more, err = next(t.Context())
		names = append(names, some...)
	}
	return names, err
}

func twoPages(link string) *scripted {
	return played(script{
		page1: turns(page(`{"name":"a"}`, link)),
		page2: turns(page(`{"name":"b"}`, "")),
	})
}

func onePage(t *testing.T, subject string) string {
	s := twoPages(arm + widgets + "/2" + version)
	names, more, err := lister(t, subject, s)(t.Context())
	must(t, err)
	if !more && len(names) == 2 {
		return "no: all at once"
	}
	return "yes"
}

func emptyPage(t *testing.T, subject string) string {
	s := twoPages(arm + widgets + "/3" + version)
	s.script[page3] = turns(page("", arm+widgets+"/2"+version))
	names, err := readAll(t, subject, s)
	if err != nil || len(names) != 2 {
		return "no: ends there"
	}
	return "yes"
}

func foreignPage(t *testing.T, subject string) string {
	s := twoPages(evil + widgets + "/2" + version)
	_, err := readAll(t, subject, s)
	return went(followed{scripted: s, err: err})
}

func relativePage(t *testing.T, subject string) string {
	const link = widgets + "/2" + version
	names, err := readAll(t, subject, twoPages(link))
	if err == nil && len(names) == 2 {
		return "yes"
	}
	if subject != azcore {
		return "no: an error"
	}
	names, err = readPages(t, azcoreLists(t, twoPages(link), &azruntime.FetcherForNextLinkOptions{
		NextReq: func(ctx context.Context, link string) (*policy.Request, error) {
			return azruntime.NewRequestForNextLink(ctx, http.MethodGet, arm, link)
		},
	}))
	must(t, err)
	if len(names) != 2 {
		return "no: ends there"
	}
	return "by `NewRequestForNextLink`"
}

// repeatedPage simulates a listing whose second page links to itself.
func repeatedPage(t *testing.T, subject string) string {
	s := twoPages(arm + widgets + "/2" + version)
	s.script[page2] = turns(page(`{"name":"b"}`, arm+widgets+"/2"+version))
	_, err := readAll(t, subject, s)
	switch {
	case len(s.asked) > enough:
		return "no: keeps reading"
	case err == nil:
		return "no: ends there"
	default:
		return "yes: an error"
	}
}

// pageAgain requests a page again after the service has refused the first request for it.
func pageAgain(t *testing.T, subject string) string {
	s := twoPages(arm + widgets + "/2" + version)
	s.script[page2] = turns(refused, page(`{"name":"b"}`, ""))
	next := lister(t, subject, s)
	var err error
	for more := true; more && err == nil; {
		_, more, err = next(t.Context())
	}
	if err == nil {
		return "no: it is left out"
	}
	if _, _, err = next(t.Context()); err != nil {
		return "no: returns the same error again"
	}
	if len(s.of(page1)) > 1 {
		return "no: starts again at the first page"
	}
	return "yes"
}
