package quirks

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect the URLs in responses.
const (
	// RespelledOrigin spells the origin of URLs in headers differently, for example as
	// HTTPS://A.TEST:443, as several services do. A client that compares origins as text refuses to
	// follow such URLs, and a client that normalizes a signed URL breaks the signature.
	RespelledOrigin Quirk = "W11"

	// LocationOnOtherHost returns a Location on another host, [OtherOrigin], as happens with a Cost
	// Management export. A client that follows it sends its user's token to that host. To allow the
	// host explicitly, set poller.Options.Origins.
	LocationOnOtherHost Quirk = "W12"

	// LocationUnversioned returns a Location without api-version, and answers a GET of that URL
	// with 400, as several services do. A client that treats the 400 as a failure gives up while
	// the operation is in progress. By default, the poller leaves URLs unchanged.
	// arm.KeepAPIVersion adds the version.
	LocationUnversioned Quirk = "W15"

	// AsteriskInURL puts an asterisk into an operation's ID and URL, as Palo Alto Networks
	// firewalls do. A client that escapes the asterisk requests a different URL.
	AsteriskInURL Quirk = "W60/star"

	// PlainHTTPLocation makes each poll return a Location with http and port 80, as Kudu does for a
	// deployment behind a proxy that terminates TLS. The Location in the first response has https.
	// A client that follows the URL unchanged sends its credential over plain http. The poller
	// reads the https URL instead.
	PlainHTTPLocation Quirk = "W61"

	// AsyncIDInLocation answers PUT and PATCH as API Management does for an API. Location is the
	// resource's path with asyncId and asyncCode in the query. Only the status code of a poll
	// reports the state: 202 at first, and in the end 200, 201 or an error code. The resource
	// itself never has a provisioningState. A GET of the resource returns 404 after a failed
	// creation, and 200 with the old content after a failed update. A client that drops the query,
	// or reads the resource, mistakes a failed update for a success.
	//
	// If the plan has a StatusCode of 201, Location looks like the URL of a new resource, and a
	// client that follows the contract does not poll it. In that case, set poller.Options.Strategy
	// to arm.Location.
	AsyncIDInLocation Quirk = "W2"
)

// OtherOrigin is the origin of the URLs that [LocationOnOtherHost] returns.
const OtherOrigin = "https://widgets.trafficmanager.example"

var urlQuirks = []entry{
	{RespelledOrigin, "URLs have :443 and spell the host in a different case", always(engine.Hooks{Answer: changeLinks(respellOrigin, linkHeaders...)})},
	{LocationOnOtherHost, "Location is on another host", always(engine.Hooks{Answer: changeLinks(moveToOtherOrigin, "Location")})},
	{LocationUnversioned, "Location lacks the api-version, and the service refuses a GET of it with 400", always(engine.Hooks{Instead: requireVersion, Answer: changeLinks(removeVersion, "Location")})},
	{PlainHTTPLocation, "polls return a Location with http and port 80, although the client started the operation over https", always(engine.Hooks{Answer: pollsOverPlainHTTP})},
	{AsteriskInURL, "the URLs contain an asterisk", always(engine.Hooks{Answer: join(addAsterisk, changeLinks(unescapeAsterisk, linkHeaders...))})},
	{AsyncIDInLocation, "Location is the path of the resource with an asyncId in the query; only the status code shows the state", always(engine.Hooks{Classify: pollByAsyncID, Plan: forceStyle(engine.Location, http.MethodPut, http.MethodPatch), Answer: asyncIDInLocation})},
}

// linkHeaders are the headers that may contain a URL of an operation.
var linkHeaders = []string{"Azure-AsyncOperation", "Operation-Location", "Location"}

// changeLinks returns a hook that applies the given function to an operation's URLs in the named
// headers.
func changeLinks(change func(string) string, names ...string) answerHook {
	return func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
		if q.Op == nil {
			return
		}
		for _, name := range names {
			link := a.Header.Get(name)
			if link != "" {
				a.Header.Set(name, change(link))
			}
		}
	}
}

// respellOrigin returns link with an equivalent origin (RFC 3986, sections 6.2.2.1 and 6.2.3), for
// example HTTPS://A.TEST:443 for https://a.test.
func respellOrigin(link string) string {
	scheme, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(rest, "/")
	port := map[string]string{"https": ":443", "http": ":80"}[scheme]
	if strings.Contains(host, ":") {
		port = "" // the URL already has a port
	}
	return strings.ToUpper(scheme+"://"+host) + port + "/" + path
}

func moveToOtherOrigin(link string) string {
	_, rest, _ := strings.Cut(link, "://")
	_, path, _ := strings.Cut(rest, "/")
	return OtherOrigin + "/" + path
}

// pollsOverPlainHTTP changes the Location in each poll's response from https to http. It leaves the
// first response unchanged.
func pollsOverPlainHTTP(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if !started(q) {
		changeLinks(withoutTLS, "Location")(s, q, a)
	}
}

// withoutTLS changes link to http and port 80 if it is an https URL without a port. It returns
// other links unchanged.
func withoutTLS(link string) string {
	rest, isHTTPS := strings.CutPrefix(link, "https://")
	host, path, _ := strings.Cut(rest, "/")
	if !isHTTPS || strings.Contains(host, ":") {
		return link
	}
	return "http://" + host + ":80/" + path
}

func removeVersion(link string) string {
	path, query, _ := strings.Cut(link, "?")
	rest, _, _ := engine.SplitQuery(query, "api-version")
	if rest == "" {
		return path
	}
	return path + "?" + rest
}

func requireVersion(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	_, _, found := engine.SplitQuery(q.Query, "api-version")
	if found || q.View != engine.ResultURL {
		return engine.Answer{}, false
	}
	return s.Dialect.Failure(q, http.StatusBadRequest, engine.Error{Code: "MissingApiVersionParameter", Message: "The api-version query parameter is required for all requests."}), true
}

// addAsterisk adds an asterisk to a new operation's ID, both in the service and in the first
// response.
func addAsterisk(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if !started(q) {
		return
	}

	old := q.Op.ID
	s.Rename(q.Op, old+"*1")
	rename := func(text string) string { return strings.ReplaceAll(text, old, q.Op.ID) }
	changeLinks(rename, linkHeaders...)(s, q, a)
	a.Body = []byte(rename(string(a.Body)))
}

func unescapeAsterisk(link string) string { return strings.ReplaceAll(link, "%2A", "*") }

// asyncID is the query parameter that contains the operation ID.
const asyncID = "asyncId"

// pollByAsyncID turns a GET of a resource into a poll if its query contains the ID of an operation
// on that resource.
func pollByAsyncID(s *engine.Service, q *engine.Request) {
	_, id, _ := engine.SplitQuery(q.Query, asyncID)
	op := s.Operations[strings.ToLower(id)]
	if op == nil || q.Method != http.MethodGet || engine.Key(op.Target) != engine.Key(q.Path) {
		return
	}

	q.Op = op
	q.View = engine.ResultURL
	q.Kind = engine.Poll
	if op.Reported {
		q.Kind = engine.Result
	}
}

// asyncIDInLocation replaces Location with the URL from asyncLink, and removes provisioningState.
// After a failed creation, it answers a GET of the resource with 404.
func asyncIDInLocation(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if q.Op != nil && a.Header.Get("Location") != "" {
		a.Set("Location", asyncLink(q.Op))
	}

	if readsResource(q) && failedToCreate(s.Latest[engine.Key(q.Path)]) {
		*a = s.Dialect.NotFound(q, q.Path)
		return
	}
	if q.Op != nil && !deletes(q.Op) || readsResource(q) {
		a.Edit(removeState)
	}
}

// asyncLink returns the URL of op's resource, with op's ID and the asyncCode added to the query.
func asyncLink(op *engine.Operation) string {
	q := *op.First
	q.Query = strings.TrimPrefix(q.Query+"&"+asyncID+"="+op.ID+"&asyncCode="+strconv.Itoa(op.WriteCode()), "&")
	return q.Link(op.Target)
}

// failedToCreate reports whether op, which may be nil, is a creation that has failed or been
// canceled.
func failedToCreate(op *engine.Operation) bool {
	return op != nil && op.Created && !op.Running() && !op.Succeeded()
}

func removeState(o engine.Object) {
	if _, found := o["properties"]; found {
		engine.SetProperty(o, "provisioningState", nil)
	}
}
