package poller_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

var quirksOfTheWire = []quirkCase{
	{
		quirk: quirks.ByteOrderMark,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.ByteOrderMark, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.EmptyBodyOfUnknownLength, method: "DELETE", plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.EmptyBodyOfUnknownLength, method: "DELETE", plan: fakes.Plan{Style: fakes.Synchronous},
		want: quirkEnding{`no result`, 0, 1},
	},
	{
		quirk: quirks.DeleteEndsIn204, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.DeleteEndsIn204, method: "DELETE", plan: fakes.Plan{Style: fakes.OperationLocation},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.RetryAfterOnce,
		want:  quirkEnding{made, 90 * time.Second, 5},
	},
	{
		quirk:  quirks.RetryAfterTooShort,
		want:   quirkEnding{made, 90 * time.Minute, 362},
		option: "Cadence (Min)",
		opts:   &poller.Options{Cadence: poller.Cadence{Min: 5 * time.Minute}},
		with:   quirkEnding{made, 90 * time.Minute, 20},
	},
	{
		quirk:  quirks.RetryAfterTooLong,
		want:   quirkEnding{made, 30 * time.Minute, 5},
		option: "Cadence (Max)",
		opts:   &poller.Options{Cadence: poller.Cadence{Max: time.Minute}},
		with:   quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.ThrottledWithoutRetryAfter,
		want:  quirkEnding{made, 210 * time.Second, 7},
	},
	{
		quirk: quirks.ThrottledWithPlainText,
		want:  quirkEnding{made, 210 * time.Second, 7},
	},
	{
		quirk: quirks.Empty200InsteadOf204, method: "DELETE", plan: fakes.Plan{Style: fakes.Synchronous},
		want: quirkEnding{`no result`, 0, 1},
	},
	{
		quirk: quirks.Empty200InsteadOf204, method: "POST", path: resource + "/start", plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.NoContentType,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.NoContentType, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
}

func TestQuirksOfTheWire(t *testing.T) { testQuirks(t, quirksOfTheWire) }
