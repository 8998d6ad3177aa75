package poller_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

var quirksOfReplicas = []quirkCase{
	{
		quirk: quirks.VisibleAfterDelete, method: "DELETE", plan: fakes.Plan{Duration: 90 * time.Second},
		want:   quirkEnding{`no result`, 2 * time.Minute, 3},
		option: "Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})},
		with:   quirkEnding{`no result`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.NotFoundAfterCreate, plan: fakes.Plan{Duration: 90 * time.Second},
		want: quirkEnding{made, 150 * time.Second, 6},
	},
	{
		quirk:  quirks.FlapsAfterCreate,
		want:   quirkEnding{made, 3 * time.Minute, 5},
		option: "Confirm (Times)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3})},
		with:   quirkEnding{made, 9 * time.Minute, 11},
	},
	{
		quirk: quirks.FlapsAfterCreate, plan: fakes.Plan{Style: fakes.Synchronous},
		want:   quirkEnding{made, 0, 1},
		option: "Confirm (Times)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3})},
		with:   quirkEnding{made, 6 * time.Minute, 8},
	},
	{
		quirk: quirks.RegistrationFlaps, method: "POST", path: resource + "/register",
		want:   quirkEnding{`result {"id":"/widgets/w1","namespace":"w1","properties":{"size":0},"registrationState":"Registering","type":"widgets"}`, 0, 1},
		option: "Confirm (Times; URL and State)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{URL: resource, State: at("/registrationState", `"Registered"`), Times: 10})},
		with:   quirkEnding{`result {"id":"/widgets/w1","namespace":"w1","properties":{"size":0},"registrationState":"Registering","type":"widgets"}`, 15 * time.Minute, 17},
	},
	{
		quirk:  quirks.SometimesNotFoundAfterCreate,
		want:   quirkEnding{made, 210 * time.Second, 7},
		option: "Confirm (Times)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3})},
		with:   quirkEnding{made, 9 * time.Minute, 11},
	},
	{
		quirk: quirks.SometimesNotFoundAfterCreate, plan: fakes.Plan{Style: fakes.Synchronous},
		want:   quirkEnding{made, 0, 1},
		option: "Confirm (Times)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3})},
		with:   quirkEnding{made, 6 * time.Minute, 8},
	},
	{
		quirk: quirks.ForbiddenAfterCreate,
		want:  quirkEnding{made, 250 * time.Second, 8},
	},
	{
		quirk: quirks.ForbiddenAfterCreate, plan: fakes.Plan{Style: fakes.ProvisioningState},
		want: quirkEnding{made, 130 * time.Second, 5},
	},
	{
		quirk: quirks.FlapsAfterChange, there: true,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":0},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (Times; State compares values)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: at("/properties/size", "1"), Times: 3})},
		with:   quirkEnding{made, 14 * time.Minute, 16},
	},
	{
		quirk: quirks.FlapsAfterChange, method: "DELETE",
		want:   quirkEnding{`no result`, 3 * time.Minute, 4},
		option: "Confirm (Times)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Times: 3})},
		with:   quirkEnding{`no result`, 14 * time.Minute, 16},
	},
	{
		quirk: quirks.StaleAfterChange, there: true,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":0},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (Delay)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{Delay: 10 * time.Minute})},
		with:   quirkEnding{made, 13 * time.Minute, 5},
	},
	{
		quirk: quirks.DeleteReportedEarly, method: "DELETE",
		want:   quirkEnding{`no result`, 3 * time.Minute, 4},
		option: "Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})},
		with:   quirkEnding{`no result`, 7 * time.Minute, 9},
	},
}

func TestQuirksOfReplicas(t *testing.T) { testQuirks(t, quirksOfReplicas) }

var quirksOfRefusals = []quirkCase{
	{
		quirk: quirks.DeleteRefusedWhileBusy, method: "DELETE",
		want:   quirkEnding{`StatusError 409: Conflict: That operation is not possible: another operation is in progress.`, 0, 1},
		option: "start again (Retryable)",
		retry:  poller.Retryable,
		with:   quirkEnding{`no result`, 4 * time.Minute, 6},
	},
	{
		quirk:  quirks.BusyReportedAs429,
		want:   quirkEnding{`StatusError 429: RetryableError: A retryable error occurred.`, 0, 1},
		option: "start again (Retryable)",
		retry:  poller.Retryable,
		with:   quirkEnding{made, 4 * time.Minute, 7},
	},
}

func TestQuirksOfRefusals(t *testing.T) { testQuirks(t, quirksOfRefusals) }
