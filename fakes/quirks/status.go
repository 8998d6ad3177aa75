package quirks

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that affect how the service reports an operation's status.
const (
	// NoStatus makes the status URL of a PUT or PATCH return the resource without a status or a
	// provisioningState, as in API Management. A client that treats a resource without a state as a
	// success returns too early. No poll reports a status. When its Patience runs out, the poller
	// reads the resource if the operation is a creation, and otherwise gives up. With
	// poller.CrossCheck, it reads the resource in either case.
	NoStatus Quirk = "W4/no-status"

	// NonstandardWords reports progress with a series of words that no specification contains.
	// SignalR, Storage Sync, Deployment Scripts, NetApp, Health Care APIs, Service Fabric and
	// others use such words. A client that knows only a fixed list of words fails on any other
	// word.
	NonstandardWords Quirk = "W10"

	// DeletingForever makes the status document of a DELETE report Deleting and
	// a percentComplete of 100 forever, even after the resource is gone, as
	// happens with Sentinel watchlists. A client cannot detect this from the
	// status. Use poller.CrossCheck with After to read the resource as
	// well.
	DeletingForever Quirk = "W18"

	// NeverEnds makes an operation's URLs report progress forever, even after the resource has
	// reached the planned ending, as happens with a network gateway connection. A client cannot
	// detect this from the status. Use poller.CrossCheck with After to read the resource as well.
	NeverEnds Quirk = "W20"

	// ResultWithoutState answers a PUT with 202 and Location, and never shows a provisioningState,
	// as happens with an App Service managed certificate. A client that waits for a
	// provisioningState at Location waits forever.
	ResultWithoutState Quirk = "W39/stateless"

	// LocationNeverEnds is like ResultWithoutState, but Location returns 202 forever, even after
	// the resource has appeared. A client cannot detect this from the Location. Use
	// poller.CrossCheck with After to read the resource as well.
	LocationNeverEnds Quirk = "W39/endless"

	// NonstandardTimes writes the times in a status document in a format that RFC 3339 does not
	// allow, such as 2023-08-11 01:58:30 +0000, as Cosmos DB for PostgreSQL does. A client that
	// decodes the times strictly loses the status.
	NonstandardTimes Quirk = "W43"

	// ResourceAsStatus makes the status URL of a PUT or PATCH return the resource, whose
	// provisioningState is the status, as in Microsoft.Storage. A client that requires a status
	// member fails.
	ResourceAsStatus Quirk = "W44"

	// StatusAtLocation makes the Location always return 200 with a status document, even after a
	// failure, as several services do. A client that treats 200 as success stops too early and
	// misses a failure. After a PUT, the poller returns the document as the result, unless
	// poller.Options.FinalStateVia is original-uri.
	StatusAtLocation Quirk = "W53"
)

var statusQuirks = []entry{
	{NoStatus, "the status URL returns a resource without a state", always(engine.Hooks{Answer: join(resourceAsStatus, noStatus)})},
	{NonstandardWords, "the status uses words for \"in progress\" that no specification contains", nonstandardWords},
	{DeletingForever, "DELETE: the status stays at Deleting, 100 percent, forever", always(engine.Hooks{Plan: preferStyle(engine.AzureAsyncOperation, http.MethodDelete), Answer: deletingForever})},
	{NeverEnds, "the status stays in progress forever, although the resource has Succeeded", always(engine.Hooks{Answer: neverEnds})},
	{ResultWithoutState, "PUT returns 202 with Location, and the result has no provisioningState", always(engine.Hooks{Plan: preferStyle(engine.Location, http.MethodPut), Answer: stateless})},
	{LocationNeverEnds, "Location returns 202 forever, although the resource exists", always(engine.Hooks{Plan: preferStyle(engine.Location, http.MethodPut), Answer: join(neverEnds, stateless)})},
	{NonstandardTimes, "the status document has times that are not in RFC 3339 format", always(engine.Hooks{Answer: nonstandardTimes})},
	{ResourceAsStatus, "the status URL returns the resource", always(engine.Hooks{Answer: resourceAsStatus})},
	{StatusAtLocation, "Location returns 200 with a status document", always(engine.Hooks{Plan: preferStyle(engine.Location), Answer: statusAtLocation})},
}

// nonstandardWords returns hooks that report progress with words from a list. Each operation
// continues the list where the previous operation stopped.
func nonstandardWords() engine.Hooks {
	words := []string{
		"Running", "newManagedIdentityCredentialStep", "notifySyncServicePartition", "runServerJob", "provisioningResources",
		"AuthorizeReplication", "BreakReplication", "Requested", "Updating", "Pending", "Dequeued", "Enqueued",
		"InProgress:Failed to place 1 of 3 replicas, trying again",
	}
	var next int

	return engine.Hooks{Plan: func(_ *engine.Request, p *engine.Plan) {
		at := next % len(words)
		p.Words = slices.Concat(words[at:], words[:at])
		p.Cycle = true
		next += max(p.Polls, 2) // each poll reports one word; without Polls, an operation usually takes two polls
	}}
}

func deletingForever(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if polls(q, http.MethodDelete) && q.View == engine.StatusURL {
		a.Body = []byte(`{"status":"Deleting","percentComplete":100}`)
	}
}

func neverEnds(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if polls(q, "") && q.Op.Reported {
		*a = inProgress(s, q)
	}
}

// inProgress returns the response that q would get if its operation were still in progress.
func inProgress(s *engine.Service, q *engine.Request) engine.Answer {
	q.Op.Reported = false

	op := *q.Op
	op.End = time.Time{}
	op.Ending = ""
	poll := *q
	poll.Op = &op
	a := s.Dialect.Look(s, &poll)
	op.SetRetryAfter(a)
	return a
}

// stateless removes provisioningState from a response that contains the resource.
func stateless(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if mayShowResource(q) {
		a.Edit(func(o engine.Object) { takeState(o) })
	}
}

func nonstandardTimes(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !polls(q, "") || q.View != engine.StatusURL {
		return
	}
	a.Edit(func(o engine.Object) {
		for _, name := range []string{"startTime", "endTime"} {
			text, _ := o[name].(string)
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				continue
			}
			o[name] = at.UTC().Format("2006-01-02 15:04:05 -0700")
		}
	})
}

// resourceAsStatus replaces a status document with the resource.
func resourceAsStatus(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if pollsDocument(q) {
		showResource(s, q, a)
	}
}

// pollsDocument reports whether q polls a URL that returns a status document.
func pollsDocument(q *engine.Request) bool {
	return polls(q, "") && q.View != engine.ResultURL
}

// showResource replaces the status document of a PUT or PATCH with the resource. The document's
// status becomes the resource's provisioningState.
func showResource(s *engine.Service, q *engine.Request, a *engine.Answer) {
	res := s.Resources[engine.Key(q.Op.Target)]
	if res == nil || !writes(q.Op.Method) {
		return
	}

	doc, _ := a.Object()
	a.Body = s.Dialect.Show(s, res, nil, q.Base)
	a.Edit(func(o engine.Object) {
		replaceState(o, doc["status"])
		if doc["error"] != nil {
			o["error"] = doc["error"]
		}
	})
}

// noStatus removes the provisioningState and the error from the resource in the response. It runs
// after resourceAsStatus.
func noStatus(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !pollsDocument(q) || !writes(q.Op.Method) {
		return
	}
	a.Edit(func(o engine.Object) {
		takeState(o)
		delete(o, "error")
	})
}

func statusAtLocation(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if !polls(q, "") || q.View != engine.ResultURL {
		return
	}

	doc := asReported(q.Op).StatusDocument()
	doc.ID = strings.TrimSuffix(q.Op.Paths()[engine.ResultURL], "/")
	pause := a.Header.Get("Retry-After")
	*a = engine.JSON(http.StatusOK, engine.Encode(doc))
	if pause != "" {
		a.Set("Retry-After", pause)
	}
}

// asReported returns a copy of op as the current response shows it. Until a response has reported
// the end, the copy is in progress.
func asReported(op *engine.Operation) *engine.Operation {
	reported := *op
	if !op.Reported {
		reported.End = time.Time{}
		reported.Ending = ""
		reported.Failure = nil
	}
	return &reported
}
