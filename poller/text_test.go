package poller_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

func TestStatusString(t *testing.T) {
	half := 50.5
	for _, row := range []struct {
		status poller.Status
		want   string
	}{
		{poller.Status{}, "InProgress"},
		{poller.Status{State: poller.InProgress, Word: "inprogress"}, "InProgress"},
		{poller.Status{State: poller.InProgress, Word: "Creating", PercentComplete: &half}, `InProgress "Creating" 50.5%`},
		{poller.Status{State: poller.Failed, Word: "two\nlines of https://a.test/x?sig=SECRET"}, `Failed "two lines of https://a.test/x?REDACTED"`},
		{poller.Status{State: "two\nlines of https://a.test/x?sig=SECRET"}, "two lines of https://a.test/x?REDACTED"}, // a strategy may return any text
		{poller.Status{ReadErr: errors.New("asked\n/x?sig=SECRET")}, "InProgress; last read: asked /x?REDACTED"},
	} {
		require.Equal(t, row.want, row.status.String())
	}
}

func TestResultString(t *testing.T) {
	for _, row := range []struct {
		result strategy.Result
		want   string
	}{
		{strategy.Result{}, "none"},
		{strategy.Result{URL: "https://a.test/x?sig=SECRET", Body: raw("{}")}, "https://a.test/x"},
		{strategy.Result{Err: errors.New("asked\n/x?sig=SECRET")}, "missing: asked /x?REDACTED"},
		{strategy.Result{Body: raw(`{"a":"SECRET"}`)}, "14 bytes"},
	} {
		require.Equal(t, row.want, row.result.String())
	}
}

func TestCheckString(t *testing.T) {
	require.Equal(t, "{URL: State:false Times:0 Delay:0s After:0s}", poller.Check{}.String())
	require.Equal(t, "{URL:https://a.test/x State:true Times:3 Delay:1s After:1m0s}", poller.Check{
		URL: "https://a.test/x?sig=SECRET", State: func(strategy.Answer) poller.State { return "" }, Times: 3, Delay: time.Second, After: time.Minute,
	}.String())
}

// The strategies of package arm are not strings, so a mistake such as arm.Location + "s" does not
// compile.
func TestStrategiesAreNotStrings(t *testing.T) {
	for name, variable := range map[string]any{
		"Auto": &arm.Auto, "AsyncOperation": &arm.AsyncOperation, "OperationLocation": &arm.OperationLocation,
		"Location": &arm.Location, "ProvisioningState": &arm.ProvisioningState,
	} {
		require.IsType(t, new(poller.Strategy), variable, name)
	}
}
