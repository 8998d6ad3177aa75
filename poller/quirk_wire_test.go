package poller_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

var quirksOfTheWire = []quirkCase{
	{
		quirk: fakes.ByteOrderMark,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: fakes.ByteOrderMark, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
	{
		quirk: fakes.EmptyOfUnknownLength, method: "DELETE", plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: fakes.EmptyOfUnknownLength, method: "DELETE", plan: fakes.Plan{Style: fakes.Synchronous},
		want: quirkEnding{`no result`, 0, 1},
	},
	{
		quirk: fakes.DeleteEndsIn204, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: fakes.DeleteEndsIn204, method: "DELETE", plan: fakes.Plan{Style: fakes.OperationLocation},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: fakes.RetryAfterOnce,
		want:  quirkEnding{made, 90 * time.Second, 5},
	},
	{
		quirk:  fakes.RetryAfterTooShort,
		want:   quirkEnding{made, 90 * time.Minute, 362},
		option: "Cadence (Min)",
		opts:   &poller.Options{Cadence: poller.Cadence{Min: 5 * time.Minute}},
		with:   quirkEnding{made, 90 * time.Minute, 20},
	},
	{
		quirk:  fakes.RetryAfterTooLong,
		want:   quirkEnding{made, 30 * time.Minute, 5},
		option: "Cadence (Max)",
		opts:   &poller.Options{Cadence: poller.Cadence{Max: time.Minute}},
		with:   quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: fakes.ThrottledWithoutPause,
		want:  quirkEnding{made, 210 * time.Second, 7},
	},
	{
		quirk: fakes.ThrottledInText,
		want:  quirkEnding{made, 210 * time.Second, 7},
	},
	{
		quirk: fakes.DoneWithoutBody, method: "DELETE", plan: fakes.Plan{Style: fakes.Synchronous},
		want: quirkEnding{`no result`, 0, 1},
	},
	{
		quirk: fakes.DoneWithoutBody, method: "POST", path: resource + "/start", plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: fakes.NoContentType,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: fakes.NoContentType, plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed, Error: overQuota},
		want: quirkEnding{`OperationError 409 Failed: OverQuota: no widgets left`, 3 * time.Minute, 4},
	},
}

func TestQuirksOfTheWire(t *testing.T) { holdQuirks(t, quirksOfTheWire) }
