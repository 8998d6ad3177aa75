package poller_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

var quirksOfEarlySuccess = []quirkCase{
	{
		quirk:  quirks.SucceededBeforeProtected,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"currentProtectionState":"ConfiguringProtection","provisioningState":"Succeeded","size":1},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (State reads that field)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: at("/properties/currentProtectionState", `"ProtectionConfigured"`)})},
		with:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"currentProtectionState":"ProtectionConfigured","provisioningState":"Succeeded","size":1},"type":"widgets"}`, 7 * time.Minute, 9},
	},
	{
		quirk:  quirks.SucceededBeforeRunning,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","resourceState":"Creating","size":1},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (State reads that field)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: at("/properties/resourceState", `"Running"`)})},
		with:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","resourceState":"Running","size":1},"type":"widgets"}`, 7 * time.Minute, 9},
	},
	{
		quirk:  quirks.SucceededBeforeRouted,
		want:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","routingState":"Provisioning","size":1},"type":"widgets"}`, 3 * time.Minute, 5},
		option: "Confirm (State reads that field)",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{State: at("/properties/routingState", `"Provisioned"`)})},
		with:   quirkEnding{`result {"id":"/widgets/w1","name":"w1","properties":{"provisioningState":"Succeeded","routingState":"Provisioned","size":1},"type":"widgets"}`, 7 * time.Minute, 9},
	},
	{
		quirk:  quirks.SucceededWhileCreating,
		want:   quirkEnding{made, 7 * time.Minute, 9},
		option: "Confirm",
		opts:   &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})},
		with:   quirkEnding{made, 7 * time.Minute, 9},
	},
	{
		quirk: quirks.SucceededWhileCreating, plan: fakes.Plan{Style: fakes.Location},
		want: quirkEnding{made, 7 * time.Minute, 8},
	},
	{
		quirk: quirks.SucceededWhileCreating, plan: fakes.Plan{Style: fakes.Synchronous},
		want: quirkEnding{made, 5 * time.Minute, 6},
	},
}

func TestQuirksOfEarlySuccess(t *testing.T) { testQuirks(t, quirksOfEarlySuccess) }
