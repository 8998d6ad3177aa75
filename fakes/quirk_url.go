package fakes

import (
	"net/http"
	"net/url"
	"strings"
)

// Quirks of the URLs in responses.
const (
	// LocationItself answers a PUT with 201, a Location that is the URL of the
	// request, and a resource without a status and a provisioningState, as for
	// a node configuration of Automation. A client that polls that Location
	// waits forever.
	LocationItself Quirk = "W5"

	// SpeltOtherwise spells the origin of the URLs in headers in another way,
	// HTTPS://A.TEST:443, as several services do. A client that compares
	// origins as text refuses to follow them, and a client that rewrites the
	// URL breaks signed URLs.
	SpeltOtherwise Quirk = "W11"

	// LocationElsewhere returns a Location at another host, [Elsewhere], as for
	// an export of Cost Management. A client that follows it sends its user's
	// token to that host. poller.Options.Origins allows the host explicitly.
	LocationElsewhere Quirk = "W12"

	// LocationRelative answers a PUT with 201 and a Location that is only the
	// path of the resource, as for a managed identity. The resource is complete
	// at once. A client that polls that Location has no host.
	LocationRelative Quirk = "W14"

	// LocationUnversioned returns a Location without api-version, and refuses a
	// GET of it with 400, as several services do. A client that takes the 400
	// for a failure gives up while the operation is in progress. The poller
	// uses URLs unchanged, so give it an http.Client that adds the version.
	LocationUnversioned Quirk = "W15"

	// StarInURL puts an asterisk into the ID of an operation, and so into its
	// URL, as the firewalls of Palo Alto Networks do. A client that escapes the
	// path again requests another URL.
	StarInURL Quirk = "W60/star"
)

// Elsewhere is the origin of the URLs that [LocationElsewhere] returns.
const Elsewhere = "https://widgets.trafficmanager.example"

var quirksOfURLs = map[Quirk]func() behaviour{
	LocationItself: func() behaviour {
		return behaviour{plan: forPut(Synchronous, http.StatusCreated), answer: join(stateless, locationOf((*question).link))}
	},
	LocationRelative: func() behaviour {
		path := func(_ *question, path string) string { return (&url.URL{Path: path}).EscapedPath() }
		return behaviour{plan: forPut(Synchronous, http.StatusCreated), answer: join(stateless, locationOf(path))}
	},
	SpeltOtherwise:    func() behaviour { return behaviour{answer: relinked(linking, spellOtherwise)} },
	LocationElsewhere: func() behaviour { return behaviour{answer: relinked([]string{"Location"}, moveElsewhere)} },
	LocationUnversioned: func() behaviour {
		return behaviour{instead: askVersion, answer: relinked([]string{"Location"}, unversion)}
	},
	StarInURL: func() behaviour { return behaviour{answer: join(star, relinked(linking, unescapeStar))} },
}

// locationOf adds a Location of the resource itself to the response to a
// synchronous PUT.
func locationOf(link func(*question, string) string) func(*Service, *question, *Answer) {
	return func(_ *Service, q *question, a *Answer) {
		if q.is(Begin, http.MethodPut) && q.op != nil && a.StatusCode < 300 {
			a.set("Location", link(q, q.path))
		}
	}
}

// relinked changes the URLs of an operation.
func relinked(names []string, change func(string) string) func(*Service, *question, *Answer) {
	return func(_ *Service, q *question, a *Answer) {
		if q.op != nil {
			a.relink(names, change)
		}
	}
}

// spellOtherwise spells an origin in another way that RFC 3986, section 6.2.3,
// defines as equivalent.
func spellOtherwise(link string) string {
	scheme, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(rest, "/")
	port := map[string]string{"https": ":443", "http": ":80"}[scheme]
	if strings.Contains(host, ":") {
		port = "" // the URL has one
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

func askVersion(s *Service, q *question) (Answer, bool) {
	if _, has := withoutVersion("?" + q.query); has || q.view != results {
		return Answer{}, false
	}
	return s.speech().failure(q, http.StatusBadRequest, Error{Code: "MissingApiVersionParameter", Message: "The api-version query parameter is required for all requests."}), true
}

// star puts an asterisk into the ID of a new operation.
func star(s *Service, q *question, a *Answer) {
	if q.kind != Begin || q.op == nil {
		return
	}
	op, id := q.op, q.op.id
	delete(s.operations, id)
	op.id = id + "*1"
	s.operations[op.id] = op
	for view, path := range op.paths {
		delete(s.places, key(path))
		op.paths[view] = strings.ReplaceAll(path, id, op.id)
		s.places[key(op.paths[view])] = place{op, view}
	}
	a.relink(linking, func(link string) string { return strings.ReplaceAll(link, id, op.id) })
	a.Body = []byte(strings.ReplaceAll(string(a.Body), id, op.id))
}

func unescapeStar(link string) string { return strings.ReplaceAll(link, "%2A", "*") }
