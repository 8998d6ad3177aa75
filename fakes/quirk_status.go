package fakes

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Quirks of what is told of an operation that goes on.
const (
	// NoStatus is that of a status URL of a PUT or PATCH that answers with the
	// resource and neither a status nor a provisioningState, as at API Management.
	// A client that takes a resource without a state for done is wrong. No read
	// reports a status, so patience ends; poller.CrossCheck then reads the resource.
	NoStatus Quirk = "W4/no-status"

	// OwnWords is that of the words in progress that no specification has, one
	// after the other over polls and operations: those of SignalR, Storage Sync,
	// Deployment Scripts, NetApp, Health Care APIs, Service Fabric and others. A
	// client with a list of words fails at the next service.
	OwnWords Quirk = "W10"

	// DeletingForever is that of a DELETE whose status document says Deleting and a
	// percentComplete of 100 for ever, also when the resource is long gone, as a
	// watchlist of Sentinel. No client can know; poller.CrossCheck with
	// After reads the resource.
	DeletingForever Quirk = "W18"

	// NeverEnds is that of an operation whose URLs tell for ever that it is in
	// progress, while the resource is as its plan ends it, as a connection of a
	// network gateway. No client can know; poller.CrossCheck with After
	// reads the resource.
	NeverEnds Quirk = "W20"

	// ResultStateless is that of a PUT that is answered 202 with Location, and of a
	// resource that never has a provisioningState, there and anywhere, as a
	// managed certificate of App Service. A client that waits for a state at
	// Location waits for ever.
	ResultStateless Quirk = "W39/stateless"

	// LocationEndless is that of a PUT that is answered 202 with a Location that
	// answers 202 for ever, while the resource appears, without a
	// provisioningState, as ResultStateless. No client can know;
	// poller.CrossCheck with After reads the resource.
	LocationEndless Quirk = "W39/endless"

	// PlainTimes is that of a status document whose times are not of RFC 3339:
	// 2023-08-11 01:58:30 +0000, as in Cosmos DB for PostgreSQL. A client that
	// decodes them strictly loses the status.
	PlainTimes Quirk = "W43"

	// ResourceAsStatus is that of a status URL that answers with the resource: its
	// provisioningState tells, and no status, as in Storage. A client that needs a
	// status fails.
	ResourceAsStatus Quirk = "W44"

	// LocationSilent is that of a DELETE that is answered 202 with Location alone,
	// which answers 202 and not a word until it ends with 200 and no body, as a
	// resource group. A client that looks for a status in the body has none.
	LocationSilent Quirk = "W50"

	// StatusAtLocation is that of a Location that answers 200 with a status
	// document from the beginning, and with one that says Failed, as several
	// services do. A client that takes 200 for success ends too early and loses the
	// failure. Of a PUT the document is the result, unless
	// poller.Options.FinalStateVia says original-uri.
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

// forLocation is for a quirk of Location after a request of that method.
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

// ownWords are those of the list, without those that are usual.
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

// resourceAsStatus is for the two kinds of status documents.
func resourceAsStatus(s *Service, q *question, a *Answer) {
	if q.asks("") && q.view != results {
		showResource(s, q, a)
	}
}

// showResource shows the resource of a PUT or PATCH in place of a status document,
// in the state of that document.
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
