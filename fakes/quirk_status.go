package fakes

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Quirks of the status of an operation in progress.
const (
	// NoStatus makes the status URL of a PUT or PATCH return the resource
	// without a status and without a provisioningState, as in API Management. A
	// client that takes a resource without a state for a success is wrong. No
	// read reports a status, so patience runs out. poller.CrossCheck then reads
	// the resource.
	NoStatus Quirk = "W4/no-status"

	// OwnWords reports progress with words that no specification has, one after
	// another. SignalR, Storage Sync, Deployment Scripts, NetApp, Health Care
	// APIs, Service Fabric and others use them. A client with a list of words
	// fails at the next service.
	OwnWords Quirk = "W10"

	// DeletingForever makes the status document of a DELETE report Deleting and
	// a percentComplete of 100 forever, even after the resource is gone, as for
	// a watchlist of Sentinel. A client cannot detect this. poller.CrossCheck
	// with After reads the resource.
	DeletingForever Quirk = "W18"

	// NeverEnds makes the URLs of an operation report progress forever, while
	// the resource reaches the planned ending, as for a connection of a network
	// gateway. A client cannot detect this. poller.CrossCheck with After reads
	// the resource.
	NeverEnds Quirk = "W20"

	// ResultStateless answers a PUT with 202 and Location, and never shows a
	// provisioningState, as for a managed certificate of App Service. A client
	// that waits for a provisioningState at Location waits forever.
	ResultStateless Quirk = "W39/stateless"

	// LocationEndless is like ResultStateless, but Location returns 202
	// forever, while the resource appears. A client cannot detect this.
	// poller.CrossCheck with After reads the resource.
	LocationEndless Quirk = "W39/endless"

	// PlainTimes writes the times of a status document in another format than
	// RFC 3339: 2023-08-11 01:58:30 +0000, as in Cosmos DB for PostgreSQL. A
	// client that decodes them strictly loses the status.
	PlainTimes Quirk = "W43"

	// ResourceAsStatus makes the status URL return the resource, whose
	// provisioningState is the status, as in Storage. A client that requires
	// the member status fails.
	ResourceAsStatus Quirk = "W44"

	// LocationSilent answers a DELETE with 202 and only a Location. It returns
	// 202 without a body, and at the end 200 without a body, as for a resource
	// group. A client that looks for a status in the body finds none.
	LocationSilent Quirk = "W50"

	// StatusAtLocation makes Location return 200 with a status document from
	// the start, and with one that says Failed after a failure, as several
	// services do. A client that takes 200 for a success ends too early and
	// misses the failure. After a PUT the document is the result, unless
	// poller.Options.FinalStateVia is original-uri.
	StatusAtLocation Quirk = "W53"
)

var quirksOfStatuses = map[Quirk]func() behaviour{
	NoStatus:        func() behaviour { return behaviour{answer: join(resourceAsStatus, noStatus)} },
	OwnWords:        ownWords,
	DeletingForever: func() behaviour { return behaviour{plan: forDelete, answer: deletingForever} },
	NeverEnds:       func() behaviour { return behaviour{answer: neverEnds} },
	ResultStateless: func() behaviour { return behaviour{plan: forLocation(http.MethodPut), answer: stateless} },
	LocationEndless: func() behaviour {
		return behaviour{plan: forLocation(http.MethodPut), answer: join(neverEnds, stateless)}
	},
	PlainTimes:       func() behaviour { return behaviour{answer: plainTimes} },
	ResourceAsStatus: func() behaviour { return behaviour{answer: resourceAsStatus} },
	LocationSilent:   func() behaviour { return behaviour{plan: forLocation(http.MethodDelete), answer: okay} },
	StatusAtLocation: func() behaviour { return behaviour{plan: anyLocation, answer: statusAtLocation} },
}

// forLocation makes Location the default style of a method.
func forLocation(method string) func(*question, *Plan) {
	return func(q *question, p *Plan) {
		if q.method == method {
			p.prefer(Location)
		}
	}
}

func anyLocation(_ *question, p *Plan) { p.prefer(Location) }

func forDelete(q *question, p *Plan) {
	if q.method == http.MethodDelete {
		p.prefer(AzureAsyncOperation)
	}
}

// ownWords uses the words of the list, without the usual ones.
func ownWords() behaviour {
	words := []string{
		"Running", "newManagedIdentityCredentialStep", "notifySyncServicePartition", "runServerJob", "provisioningResources",
		"AuthorizeReplication", "BreakReplication", "Requested", "Updating", "Pending", "Dequeued", "Enqueued",
		"InProgress:Failed to place 1 of 3 replicas, trying again",
	}
	var next int
	return behaviour{plan: func(_ *question, p *Plan) {
		at := next % len(words)
		p.Words, p.round = slices.Concat(words[at:], words[:at]), true
		next += max(p.Polls, 2) // as many as an operation of polls uses up
	}}
}

func deletingForever(_ *Service, q *question, a *Answer) {
	if q.asks(http.MethodDelete) && q.view == statuses {
		a.Body = []byte(`{"status":"Deleting","percentComplete":100}`)
	}
}

func neverEnds(s *Service, q *question, a *Answer) {
	if q.asks("") && q.op.told {
		*a = s.underway(q)
	}
}

func plainTimes(_ *Service, q *question, a *Answer) {
	if !q.asks("") || q.view != statuses {
		return
	}
	a.edit(func(o object) {
		for _, name := range []string{"startTime", "endTime"} {
			text, _ := o[name].(string)
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				o[name] = at.UTC().Format("2006-01-02 15:04:05 -0700")
			}
		}
	})
}

// resourceAsStatus replaces both kinds of status documents.
func resourceAsStatus(s *Service, q *question, a *Answer) {
	if q.asks("") && q.view != results {
		showResource(s, q, a)
	}
}

// showResource replaces the status document of a PUT or PATCH with the
// resource, in the state of that document.
func showResource(s *Service, q *question, a *Answer) {
	doc, _ := a.object()
	res := s.resources[key(q.op.target)]
	if res == nil || !writes(q.op.method) {
		return
	}
	a.Body = s.speech().show(s, res, nil, q.base)
	a.edit(func(o object) {
		if _, there := takeState(o); there {
			o["properties"].(object)["provisioningState"] = doc["status"]
		}
		if doc["error"] != nil {
			o["error"] = doc["error"]
		}
	})
}

func noStatus(_ *Service, q *question, a *Answer) {
	if q.asks("") && q.view != results && writes(q.op.method) {
		a.edit(func(o object) { takeState(o); delete(o, "error") })
	}
}

func statusAtLocation(_ *Service, q *question, a *Answer) {
	if !q.asks("") || q.view != results {
		return
	}
	doc := q.asTold().statusDocument()
	doc.ID = strings.TrimSuffix(q.op.paths[results], "/")
	pause := a.Header.Get("Retry-After")
	*a = jsonAnswer(http.StatusOK, encode(doc))
	if pause != "" {
		a.set("Retry-After", pause)
	}
}
