package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
)

var quirksOfBeginnings = []quirkCase{
	{
		quirk: quirks.GoneBeforeEnd, method: "DELETE", plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.GoneBeforeEnd, method: "DELETE",
		want: quirkEnding{`no result`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.CapitalizedState, there: true,
		want: quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.CapitalizedState, there: true, plan: fakes.Plan{Ending: fakes.Failed},
		want: quirkEnding{`OperationError 200 Failed: OperationFailed: The operation failed.`, 3 * time.Minute, 4},
	},
	{
		quirk: "W5",
		want:  quirkEnding{bare, 0, 1},
	},
	{
		quirk: quirks.TopLevelState,
		want:  quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"size":1},"provisioningState":"Succeeded","type":"widgets"}`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.TopLevelState, plan: fakes.Plan{Style: fakes.ProvisioningState},
		want: quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"size":1},"provisioningState":"Succeeded","type":"widgets"}`, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.CreatesWith200,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.RespelledOrigin, plan: fakes.Plan{Style: fakes.Location | fakes.AzureAsyncOperation},
		want: quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: "W13",
		want:  quirkEnding{bare, 0, 1},
	},
	{
		quirk: "W14",
		want:  quirkEnding{bare, 0, 1},
	},
	{
		quirk: quirks.StateKeepsChanging,
		want:  quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.OverlappingPutWithoutHeader, before: true,
		want: quirkEnding{made, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.AsteriskInURL,
		want:  quirkEnding{made, 3 * time.Minute, 5},
	},
}

// quirksOfMissingData lists the quirks of services whose responses lack something that a client
// needs.
var quirksOfMissingData = []quirkCase{
	{
		quirk: quirks.UpdateReverted, there: true,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","size":0},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (State compares values)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: kept})},
		with:   quirkEnding{`OperationError 200 Failed`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.FlagOnly, plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{`result {"clusterMonitoringEnabled":false}`, time.Minute, 2},
		option: "Confirm (State reads the flag)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: at("/clusterMonitoringEnabled", "true")})},
		with:   quirkEnding{`result {"clusterMonitoringEnabled":true}`, time.Hour, 62},
	},
	{
		quirk: quirks.FlagOnly, method: "DELETE", plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{`WaitError Unfollowable InProgress after 0 polls: StatusError 202 (no operation)`, 0, 1},
		option: "Strategy ProvisioningState, Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(arm.ProvisioningState, poller.Check{State: at("/clusterMonitoringEnabled", "false")})},
		with:   quirkEnding{`result {"clusterMonitoringEnabled":false}`, time.Hour, 62},
	},
	{
		quirk: quirks.LocationOnOtherHost, plan: fakes.Plan{Style: fakes.Location},
		want:   quirkEnding{`WaitError Unfollowable InProgress after 0 polls: StatusError 202 (foreign origin)`, 0, 1},
		option: "Origins",
		opts:   &poller.Options{Origins: []string{quirks.OtherOrigin}},
		with:   quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.LocationOnOtherHost, method: "POST", path: resource + "/export",
		want:   quirkEnding{`ResultError: StatusError 0 (foreign origin)`, 3 * time.Minute, 4},
		plan:   fakes.Plan{Result: "r"},
		option: "Origins",
		opts:   &poller.Options{Origins: []string{quirks.OtherOrigin}},
		with:   quirkEnding{`result "r"`, 3 * time.Minute, 5},
	},
	{
		quirk: quirks.PlainHTTPLocation, plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.LocationUnversioned, plan: fakes.Plan{Style: fakes.Location},
		want:   quirkEnding{`WaitError Refused InProgress after 1 polls: StatusError 400: MissingApiVersionParameter: The api-version query parameter is required for all requests.`, time.Minute, 2},
		option: "Strategy KeepAPIVersion",
		opts:   &poller.Options{Strategy: arm.KeepAPIVersion(nil)},
		with:   quirkEnding{made, 3 * time.Minute, 4},
	},
	{
		quirk: quirks.SucceededAtFirst, plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{made, 0, 1},
		option: "Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})},
		with:   quirkEnding{made, time.Hour, 62},
	},
	{
		quirk: quirks.PurgedLater, method: "POST", path: resource + "/purge", plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{`no result`, 0, 1},
		option: "Confirm (URL of the purged resource)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{URL: resource + "?api-version=1", State: gone})},
		with:   quirkEnding{`no result`, time.Hour, 62},
	},
	{
		quirk: quirks.DeletedWith200, method: "DELETE", plan: fakes.Plan{Duration: time.Hour},
		want:   quirkEnding{`no result`, 0, 1},
		option: "Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})},
		with:   quirkEnding{`no result`, time.Hour, 62},
	},
	{
		quirk: quirks.DeletedWith202, method: "DELETE",
		want:   quirkEnding{`WaitError Unfollowable InProgress after 0 polls: StatusError 202 (no operation)`, 0, 1},
		option: "Strategy ProvisioningState",
		opts:   &poller.Options{Strategy: arm.ProvisioningState},
		with:   quirkEnding{`no result`, 3 * time.Minute, 4}, // the poller reads the status from the resource
	},
}

func TestQuirksOfBeginnings(t *testing.T) { testQuirks(t, quirksOfBeginnings) }

func TestQuirksOfMissingData(t *testing.T) { testQuirks(t, quirksOfMissingData) }

// The poller requests each URL exactly as the service spelled it.
func TestQuirksOfURLs(t *testing.T) {
	for quirk, want := range map[quirks.Quirk]string{
		quirks.RespelledOrigin: "https://MANAGEMENT.EXAMPLE.TEST:443/operationsStatuses/00000000-0000-4000-8000-000000000001?api-version=1",
		quirks.AsteriskInURL:   origin + "/operationsStatuses/00000000-0000-4000-8000-000000000001*1?api-version=1",
	} {
		svc := &fakes.Service{}
		svc.Quirk(quirk, resource)
		p, err := poller.Begin[raw](quirkRequest(t, "PUT", ""), fakes.Client(svc), nil)
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, svc.Requests()[1].URL)
	}
}
