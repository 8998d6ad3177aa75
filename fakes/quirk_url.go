package fakes

import (
	"net/http"
	"net/url"
	"strings"
)

// Quirks of the URLs that a service names.
const (
	// LocationItself is that of a PUT that is answered 201 with a Location that is
	// the URL of the request, and of a resource with neither a status nor a
	// provisioningState, as a node configuration of Automation. A client that
	// polls that Location waits for a state for ever.
	LocationItself Quirk = "W5"

	// SpeltOtherwise is that of URLs in headers which spell the origin in another
	// way: HTTPS://A.TEST:443, as several services do. A client that compares
	// origins as text refuses to go there, and one that writes the URL anew breaks
	// those that are signed.
	SpeltOtherwise Quirk = "W11"

	// LocationElsewhere is that of a Location at another host, that of
	// [Elsewhere], as an export of Cost Management. A client that follows it hands
	// the token of its user to that host; poller.Options.Origins allows it to those
	// who mean it.
	LocationElsewhere Quirk = "W12"

	// LocationRelative is that of a PUT that is answered 201 with a Location that
	// is the path of the resource and no more, as a managed identity. It is
	// complete at once; a client that polls that Location has no host to ask.
	LocationRelative Quirk = "W14"

	// LocationUnversioned is that of a Location without api-version, and of a GET
	// of it that is refused for that with 400, as in several services. A client
	// that takes that for the end of the operation fails it, although it runs. URLs
	// are used as they are: an http.Client that adds the version, given to poller,
	// covers it.
	LocationUnversioned Quirk = "W15"

	// StarInURL is that of an operation whose ID, and so its URL, has an asterisk,
	// as in Palo Alto Networks' firewalls. A client that escapes the path anew asks
	// for another URL.
	StarInURL Quirk = "W60/star"
)

// Elsewhere is the origin to which [LocationElsewhere] sends a client.
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

// locationOf adds the Location of itself to a PUT that is complete at once.
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

// spellOtherwise spells an origin as RFC 3986, section 6.2.3, has it be the same.
func spellOtherwise(link string) string {
	scheme, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(rest, "/")
	port := map[string]string{"https": ":443", "http": ":80"}[scheme]
	if strings.Contains(host, ":") {
		port = "" // it names one
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

// star gives an operation that has just begun an ID with an asterisk.
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
