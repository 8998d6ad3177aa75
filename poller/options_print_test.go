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

// printing is a strategy with a method that may print a secret.
type printing struct{}

func (printing) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{}, strategy.ErrNoStatus
}
func (printing) Name() string { return "https://a.test/x?sig=canary" }

// Options name a strategy of package arm by its protocol, and any other strategy by its type.
func TestOptionsNameStrategy(t *testing.T) {
	require.Contains(t, poller.Options{Strategy: arm.Location}.String(), "Strategy:location ")
	require.Contains(t, poller.Options{Strategy: printing{}}.String(), "Strategy:poller_test.printing ")
	require.Equal(t, "a check around location", fmt.Sprint(poller.CrossCheck(arm.Location, poller.Check{})))
	require.Equal(t, "a check around poller_test.printing", fmt.Sprint(poller.Confirm(printing{}, poller.Check{})))
}

// The strategies of package arm are variables of an interface type, or this test would not compile.
// When they were strings, poller.Location + "s" compiled, and what it started could not be followed.
func TestStrategiesAreValues(t *testing.T) {
	for _, s := range []*poller.Strategy{&arm.Auto, &arm.AsyncOperation, &arm.OperationLocation, &arm.Location, &arm.ProvisioningState} {
		require.NotNil(t, *s)
	}
}

// The size of a token is checked before anything else, so that the error about it is always the same.
func TestLargeTokenWithInvalidOptions(t *testing.T) {
	_, err := poller.Resume[raw](strings.Repeat("x", 64<<10+1), nil, &poller.Options{ResultPointer: "x"})
	require.ErrorIs(t, err, lroerrors.ErrBadToken)
}

// The name of a type may contain a secret, because a struct type is printing by its fields and tags.
func TestFinishedNameIsRedacted(t *testing.T) {
	p := poller.Finished(struct {
		A int `x:"password=canary1"`
	}{}, nil)
	require.NotContains(t, p.String(), "canary1")
}
