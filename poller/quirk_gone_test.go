package poller_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

// lastOfTheDay is the time of the last read if the deadline is a day after the start. The poller
// makes this read 6 s early, so that its response can arrive before the deadline.
const lastOfTheDay = 24*time.Hour - 6*time.Second

var overQuota = fakes.Error{Code: "OverQuota", Message: "no widgets left"}

var quirksOfLostStatuses = []quirkCase{
	{
		quirk: quirks.StatusNotFoundAtFirst,
		want:  quirkEnding{made, 210 * time.Second, 7},
	},
	{
		quirk: quirks.StatusNotFoundMidway,
		want:  quirkEnding{made, 190 * time.Second, 6},
	},
	{
		quirk: quirks.StatusNotFoundMidway, method: "DELETE", plan: fakes.Plan{Duration: 20 * time.Minute},
		want: quirkEnding{`no result`, 1210 * time.Second, 23},
	},
	{ // after the 404, the poller reads the resource once, and then the status again
		quirk: quirks.StatusNotFoundMidway, method: "DELETE", plan: fakes.Plan{Duration: 3 * time.Hour},
		want: quirkEnding{`no result`, 10810 * time.Second, 183},
	},
	{
		quirk: quirks.AsyncIDInLocation,
		want:  quirkEnding{bare, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.AsyncIDInLocation, there: true, plan: fakes.Plan{Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.AsyncIDInLocation, plan: fakes.Plan{StatusCode: 201},
		want:   quirkEnding{bare, 0, 1},
		option: "Strategy Location",
		opts:   &poller.Options{Strategy: arm.Location},
		with:   quirkEnding{bare, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.AsyncIDInLocation, plan: fakes.Plan{StatusCode: 201, Ending: fakes.Failed, Error: overQuota},
		want:   quirkEnding{bare, 0, 1},
		option: "Strategy Location",
		opts:   &poller.Options{Strategy: arm.Location},
		with:   quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.DeleteEndsIn404, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.DeleteEndsIn404, method: "DELETE", plan: fakes.Plan{Polls: -1},
		want: quirkEnding{`no result`, 370 * time.Second, 8},
	},
	{
		quirk: quirks.DeleteSometimesEndsIn404, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.PurgeNeverEnds, method: "POST", path: resource + "/purge", within: 24 * time.Hour,
		want:   quirkEnding{`WaitError Deadline InProgress after 1440 polls, our pause`, lastOfTheDay, 1441},
		option: "CrossCheck (After; URL and State)",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{URL: resource, State: gone, After: time.Hour})},
		with:   quirkEnding{`no result`, time.Hour, 62},
	},
	{
		quirk: quirks.StatusNeverFound,
		want:  quirkEnding{made, 370 * time.Second, 8},
	},
	{
		quirk: quirks.StatusNeverFound, there: true,
		want:   quirkEnding{`WaitError Gone InProgress "Accepted" after 6 polls: StatusError 404: ResourceNotFound: The resource '/operationsStatuses/00000000-0000-4000-8000-000000000001' was not found. (target /operationsStatuses/00000000-0000-4000-8000-000000000001)`, 370 * time.Second, 7},
		option: "CrossCheck",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{})},
		with:   quirkEnding{made, 370 * time.Second, 8},
	},
	{
		quirk:  quirks.StatusURLInvalid,
		want:   quirkEnding{`WaitError Unfollowable InProgress after 0 polls: StatusError 201 (no operation)`, 0, 1},
		option: "Strategy ProvisioningState",
		opts:   &poller.Options{Strategy: arm.ProvisioningState},
		with:   quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.FailureReturns500, plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.FailureReturns500, method: "PATCH", plan: fakes.Plan{Ending: fakes.Failed},
		want:   quirkEnding{`WaitError Patience InProgress after 11 polls: StatusError 500: InternalServerError: Internal server error.`, 2010 * time.Second, 12},
		option: "CrossCheck",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{})},
		with:   quirkEnding{`OperationError 200 Failed`, 2010 * time.Second, 13},
	},
	{
		quirk: quirks.DeleteFailsLater, method: "DELETE", plan: fakes.Plan{Error: overQuota},
		want: quirkEnding{`OperationError 200 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.DeleteFailsLater, method: "DELETE", plan: fakes.Plan{Error: overQuota, Style: fakes.Location},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.ChildGoneBeforeEnd, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.StatusExpires, plan: fakes.Plan{Duration: time.Hour},
		want: quirkEnding{made, 61 * time.Minute, 36},
	},
	{
		quirk: quirks.StatusExpires, there: true, plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{`WaitError Patience InProgress "Provisioning" after 28 polls: StatusError 200 (unreadable)`, 3030 * time.Second, 29},
		option: "CrossCheck",
		opts:   &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{})},
		with:   quirkEnding{made, 61 * time.Minute, 36},
	},
	{
		quirk: quirks.StatusReturns408,
		want:  quirkEnding{made, 190 * time.Second, 6},
	},
	{
		quirk: quirks.StatusReturns424,
		want:  quirkEnding{made, 190 * time.Second, 6},
	},
	{
		quirk: quirks.StatusReturns424, plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{made, 190 * time.Second, 5},
	},
}

func TestQuirksOfLostStatuses(t *testing.T) { testQuirks(t, quirksOfLostStatuses) }
