package poller_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// A printing is a strategy whose Name method returns a secret. Options.String must not call Name.
type printing struct{}

func (printing) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{}, strategy.ErrNoStatus
}
func (printing) Name() string { return "https://a.test/x?sig=canary" }

// Options.String shows a strategy of package arm as its protocol's name, and any other strategy as
// its type. A check names its inner strategy in the same way.
func TestOptionsNameStrategy(t *testing.T) {
	require.Contains(t, poller.Options{Strategy: arm.Location}.String(), "Strategy:location ")
	require.Contains(t, poller.Options{Strategy: printing{}}.String(), "Strategy:poller_test.printing ")
	require.Equal(t, "a check around location", fmt.Sprint(poller.CrossCheck(arm.Location, poller.Check{})))
	require.Equal(t, "a check around poller_test.printing", fmt.Sprint(poller.Confirm(printing{}, poller.Check{})))
}

// This test compiles only if each strategy of package arm is a variable of type poller.Strategy.
func TestStrategiesAreValues(t *testing.T) {
	for _, s := range []*poller.Strategy{&arm.Auto, &arm.AsyncOperation, &arm.OperationLocation, &arm.Location, &arm.ProvisioningState} {
		require.NotNil(t, *s)
	}
}

// Resume checks the size of a token before it checks the options.
func TestLargeTokenWithInvalidOptions(t *testing.T) {
	_, err := poller.Resume[raw](strings.Repeat("x", 64<<10+1), nil, &poller.Options{ResultPointer: "x"})
	require.ErrorIs(t, err, lroerrors.ErrBadToken)
}

// String redacts the type's name. For an anonymous struct, the name contains the field tags, which
// may contain a secret.
func TestFinishedNameIsRedacted(t *testing.T) {
	p := poller.Finished(struct {
		A int `x:"password=canary1"`
	}{}, nil)
	require.NotContains(t, p.String(), "canary1")
}
