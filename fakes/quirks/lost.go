package quirks

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks that make an operation's status unavailable, temporarily or permanently.
const (
	// StatusNotFoundAtFirst makes an operation's URLs work only after a while, as happens with
	// Recovery Services vaults. The first response asks for a pause of 60 seconds, and the first
	// two polls get a 404. A client that treats the 404 as the end gives up while the operation is
	// in progress.
	StatusNotFoundAtFirst Quirk = "W1"

	// StatusNotFoundMidway answers only an operation's second poll with 404, as also happens with
	// Recovery Services vaults. A client that tolerates a 404 only before the first status gives up
	// while the operation is in progress.
	StatusNotFoundMidway Quirk = "W1/again"

	// StatusNeverFound returns an Azure-AsyncOperation URL that always returns 404, as happens when
	// a local network gateway is updated. A client that follows the contract never finds out how
	// the operation ends. Use poller.CrossCheck to read the resource as well.
	StatusNeverFound Quirk = "W19/404"

	// StatusURLInvalid returns an Azure-AsyncOperation URL without a host, which a client cannot
	// request. Only the resource shows the status. A client that follows the contract cannot follow
	// the operation. Set poller.Options.Strategy to arm.ProvisioningState.
	StatusURLInvalid Quirk = "W19/invalid"

	// FailureReturns500 makes the Location return 500 InternalServerError once the operation has
	// failed, as in AKS. A client that follows the contract polls until it gives up. Use
	// poller.CrossCheck to read the resource, which shows the failure.
	FailureReturns500 Quirk = "W22"

	// StatusExpires returns 200 without a status once the operation is 20 minutes old, as happens
	// with private endpoint operations. If an operation takes longer, a client that follows the
	// contract never finds out how it ends. Use poller.CrossCheck to read the resource as well.
	StatusExpires Quirk = "W52"

	// StatusReturns408 answers the first poll of each operation with 408. A
	// client that treats every 4xx as final gives up while the operation is in
	// progress.
	StatusReturns408 Quirk = "W54/408"

	// StatusReturns424 is like StatusReturns408, but with 424.
	StatusReturns424 Quirk = "W54/424"
)

var lostStatusQuirks = []entry{
	{StatusNotFoundAtFirst, "the status URL returns 404 at first", statusNotFoundAtFirst},
	{StatusNotFoundMidway, "the status URL returns 404 once while the operation is in progress", statusNotFoundMidway},
	{StatusNeverFound, "the status URL always returns 404", always(engine.Hooks{Plan: forceStyle(engine.AzureAsyncOperation), Answer: statusNeverFound})},
	{StatusURLInvalid, "the status URL has no host", always(engine.Hooks{Plan: forceStyle(engine.ProvisioningState), Answer: statusURLInvalid})},
	{FailureReturns500, "after a failure, Location returns 500 forever", always(engine.Hooks{Plan: forceStyle(engine.Location), Answer: failureReturns500})},
	{StatusExpires, "the status URL returns no status after 20 minutes", always(engine.Hooks{Answer: statusExpires})},
	{StatusReturns408, "the status URL returns 408 once", func() engine.Hooks { return firstPollRefused(http.StatusRequestTimeout) }},
	{StatusReturns424, "the status URL returns 424 once", func() engine.Hooks { return firstPollRefused(http.StatusFailedDependency) }},
}

func statusNotFoundAtFirst() engine.Hooks {
	hooks := pollsMissing(1, 2)
	hooks.Answer = func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
		if started(q) && q.Op.Running() && a.Header.Get("Retry-After") == "" {
			a.Set("Retry-After", "60")
		}
	}
	return hooks
}

func statusNotFoundMidway() engine.Hooks { return pollsMissing(2) }

// pollsMissing returns hooks that return 404 for the polls with the given numbers. Each operation's
// polls are numbered from 1.
func pollsMissing(numbers ...int) engine.Hooks {
	polls := tally[*engine.Operation]{}

	return engine.Hooks{Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
		if q.Kind != engine.Poll || q.View == "" {
			return engine.Answer{}, false
		}
		if !slices.Contains(numbers, polls.next(q.Op)) {
			return engine.Answer{}, false
		}
		return s.Dialect.NotFound(q, q.Path), true
	}}
}

// firstPollRefused returns hooks that answer each operation's first poll with the given status
// code.
func firstPollRefused(code int) engine.Hooks {
	polls := tally[*engine.Operation]{}
	text := http.StatusText(code)
	e := engine.Error{Code: strings.ReplaceAll(text, " ", ""), Message: text + "."}

	return engine.Hooks{Instead: func(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
		if q.Kind != engine.Poll || polls.next(q.Op) > 1 {
			return engine.Answer{}, false
		}
		return s.Dialect.Failure(q, code, e), true
	}}
}

// statusNeverFound answers every poll with a 404. The service still counts the poll, so the
// operation makes progress.
func statusNeverFound(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if polls(q, "") {
		*a = s.Dialect.NotFound(q, q.Path)
	}
}

func statusURLInvalid(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if started(q) && q.Op.Running() {
		a.Set("Azure-AsyncOperation", "https://"+q.Op.Paths()[engine.StatusURL])
	}
}

func failureReturns500(s *engine.Service, q *engine.Request, a *engine.Answer) {
	if reportsEnd(q, engine.Failed) {
		*a = s.Dialect.Failure(q, http.StatusInternalServerError, engine.Error{Code: "InternalServerError", Message: "Internal server error."})
	}
}

func statusExpires(_ *engine.Service, q *engine.Request, a *engine.Answer) {
	if polls(q, "") && time.Since(q.Op.Start) >= 20*time.Minute {
		*a = engine.JSON(http.StatusOK, engine.Encode(engine.Object{"id": q.Path}))
	}
}
