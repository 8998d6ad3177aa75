package quirks

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect the URLs in responses.
const (
	// SpeltOtherwise spells the origin of the URLs in headers differently, for
	// example as HTTPS://A.TEST:443, the way several services do. A client that
	// compares origins as text refuses to follow such URLs, and a client that
	// rewrites the URL breaks signed URLs.
	SpeltOtherwise Quirk = "W11"

	// LocationElsewhere returns a Location on another host, [Elsewhere], as
	// happens with an export of Cost Management. A client that follows it sends
	// its user's token to that host. To allow the host explicitly, set
	// poller.Options.Origins.
	LocationElsewhere Quirk = "W12"

	// LocationUnversioned returns a Location without api-version, and answers a
	// GET of that URL with 400, the way several services do. A client that
	// treats the 400 as a failure gives up while the operation is in progress.
	// The poller uses URLs unchanged, so give it an http.Client that adds the
	// version.
	LocationUnversioned Quirk = "W15"

	// StarInURL puts an asterisk into the ID and the URL of an operation, the
	// way the firewalls of Palo Alto Networks do. A client that escapes the
	// path again requests a different URL.
	StarInURL Quirk = "W60/star"

	// AsyncIDInLocation answers PUT and PATCH the way API Management does for
	// an API. Location is the path of the resource with asyncId and asyncCode
	// in its query. Only the status code of a poll reports the state. It is 202
	// at first, and in the end 200, 201 or an error code. The resource itself
	// never has a provisioningState. After a failed creation, it returns 404,
	// and after a failed update, it returns 200 with the old content. A client
	// that drops the query, or reads the resource, mistakes a failed update for
	// a success.
	//
	// With a StatusCode of 201 in the plan, Location looks like the URL of a
	// new resource, and a client that follows the contract does not poll it. In
	// that case, set poller.Options.Strategy to poller.Location.
	AsyncIDInLocation Quirk = "W2"
)

// Elsewhere is the origin of the URLs that [LocationElsewhere] returns.
const Elsewhere = "https://widgets.trafficmanager.example"

var urlQuirks = []entry{
	{SpeltOtherwise, "URLs with :443 and with the host in a different case", always(engine.Hooks{Answer: relinked(linking, spellOtherwise)})},
	{LocationElsewhere, "Location is on another host", always(engine.Hooks{Answer: relinked([]string{"Location"}, moveElsewhere)})},
	{LocationUnversioned, "Location lacks the api-version, and the service refuses it with 400", always(engine.Hooks{Instead: askVersion, Answer: relinked([]string{"Location"}, unversion)})},
	{StarInURL, "a URL with an asterisk", always(engine.Hooks{Answer: join(star, relinked(linking, unescapeStar))})},
	{AsyncIDInLocation, "Location is the path of the resource with an asyncId; only the status code shows the state", always(engine.Hooks{Classify: askedByAsyncID, Plan: byLocation("PUT", "PATCH"), Answer: asyncIDs})},
}

// relinked returns a hook that changes the URLs of an operation in the named
// headers.
func relinked(names []string, change func(string) string) func(*engine.Service, *engine.Request, *engine.Answer) {
	return func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
		if q.Op != nil {
			relink(a, names, change)
		}
	}
}

// spellOtherwise returns link with its origin in another form, which is
// equivalent under RFC 3986, section 6.2.3.
func spellOtherwise(link string) string {
	scheme, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(rest, "/")
	port := map[string]string{"https": ":443", "http": ":80"}[scheme]
	if strings.Contains(host, ":") {
		port = "" // the URL already has a port
	}
	return strings.ToUpper(scheme+"://"+host) + port + "/" + path
}

func moveElsewhere(link string) string {
	_, rest, _ := strings.Cut(link, "://")
	_, path, _ := strings.Cut(rest, "/")
	return Elsewhere + "/" + path
}

func unversion(link string) string {
	without, _ := withoutVersion(link)
	return without
}

func askVersion(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	if _, has := withoutVersion("?" + q.Query); has || q.View != engine.ResultURL {
		return engine.Answer{}, false
	}
	return s.Dialect.Failure(q, http.StatusBadRequest, engine.Error{Code: "MissingApiVersionParameter", Message: "The api-version query parameter is required for all requests."}), true
}

// star puts an asterisk into the ID of a new operation.
func star(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Kind != engine.Begin || q.Op == nil {
		return
	}
	id := q.Op.ID
	s.Rename(q.Op, id+"*1")
	relink(a, linking, func(link string) string { return strings.ReplaceAll(link, id, q.Op.ID) })
	a.Body = []byte(strings.ReplaceAll(string(a.Body), id, q.Op.ID))
}

func unescapeStar(link string) string { return strings.ReplaceAll(link, "%2A", "*") }

// withoutVersion removes api-version from a URL, and reports whether it had
// one.
func withoutVersion(link string) (string, bool) {
	path, query, _ := strings.Cut(link, "?")
	rest, _, had := engine.SplitQuery(query, "api-version")
	if rest == "" {
		return path, had
	}
	return path + "?" + rest, had
}

// relink changes the URLs in the named headers of a response.
func relink(a *engine.Answer, names []string, change func(link string) string) {
	for _, name := range names {
		if link := a.Header.Get(name); link != "" {
			a.Header.Set(name, change(link))
		}
	}
}

var linking = []string{"Azure-AsyncOperation", "Operation-Location", "Location"}

// askedByAsyncID recognizes a poll by the operation ID in its query.
func askedByAsyncID(s *engine.Service, q *engine.Request) {
	_, id, _ := engine.SplitQuery(q.Query, asyncID)
	op := s.Operations[strings.ToLower(id)]
	if op == nil || q.Method != http.MethodGet || engine.Key(op.Target) != engine.Key(q.Path) {
		return
	}
	q.Op, q.View, q.Kind = op, engine.ResultURL, engine.Poll
	if op.Reported {
		q.Kind = engine.Result
	}
}

const asyncID = "asyncId"

// asyncIDs replaces Location with the path of the resource and removes
// provisioningState. If the resource could not be created, reading it returns
// 404.
func asyncIDs(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Op != nil && a.Header.Get("Location") != "" {
		a.Set("Location", asyncLink(q.Op))
	}
	op := s.Latest[engine.Key(q.Path)]
	switch {
	case q.ReadsResource() && op != nil && op.Created && !op.Running() && op.Ending != engine.Succeeded:
		*a = s.Dialect.NotFound(q, q.Path)
	case q.ReadsResource() || q.Op != nil && q.Op.Method != http.MethodDelete:
		a.Edit(func(o engine.Object) {
			if _, is := o["properties"]; is {
				engine.SetProperty(o, "provisioningState", nil)
			}
		})
	}
}

func asyncLink(op *engine.Operation) string {
	q := *op.First
	q.Query = strings.TrimPrefix(q.Query+"&"+asyncID+"="+op.ID+"&asyncCode="+strconv.Itoa(op.WriteCode()), "&")
	return q.Link(op.Target)
}
