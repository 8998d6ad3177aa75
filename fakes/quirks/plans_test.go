package quirks_test

import "github.com/lro-go/lro/fakes"

var (
	atOnce      = fakes.Plan{Polls: -1}
	onePoll     = fakes.Plan{Polls: 1}
	synchronous = fakes.Plan{Style: fakes.Synchronous}

	noWidgets = fakes.Error{Code: "Quota", Message: "No more widgets."}
	failed    = fakes.Plan{Polls: 1, Ending: fakes.Failed, Error: noWidgets}
)
