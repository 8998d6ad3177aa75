package check_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

const resource = "https://a.test/w"

// inner is a strategy that returns its Move for a 200 and ErrNoStatus for any other response.
type inner struct{ move strategy.Move }

func (s inner) Step(a strategy.Answer) (strategy.Move, error) {
	if a.Code != http.StatusOK {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	return s.move, nil
}

// fixedPause is a strategy that sets Detour.Hold, a pause that nothing may shorten.
type fixedPause struct {
	inner
	hold time.Duration
}

func (s fixedPause) StepIn(a strategy.Answer, _ strategy.Situation) (strategy.Move, strategy.Detour, error) {
	m, err := s.Step(a)
	return m, strategy.Detour{Hold: s.hold}, err
}

// If the check and the status have the same URL, a 200 that shows the operation in progress resets
// the count of consecutive 404s.
func TestStatusEndsAgreement(t *testing.T) {
	s := check.CrossCheck(inner{strategy.Move{Status: strategy.Status{State: strategy.InProgress}}}, check.Check{Times: 2})
	for _, row := range []struct {
		codes []int
		want  strategy.State
	}{
		{[]int{200, 404}, ""},
		{[]int{200, 404, 404}, strategy.Succeeded},
		{[]int{200, 404, 200, 404}, ""},
	} {
		var last strategy.Move
		var memo json.RawMessage
		for _, code := range row.codes {
			var err error
			last, err = s.Step(strategy.Answer{Method: http.MethodDelete, Target: resource, URL: resource, Poll: resource, Code: code, Memo: memo})
			require.NoError(t, err)
			memo = last.Memo
		}
		require.Equal(t, row.want, last.Status.State, "%v", row.codes)
	}
}

// If an operation is overdue, CrossCheck reads the check's URL next, unless the inner strategy says
// exactly when to read the status.
func TestOverdue(t *testing.T) {
	for _, row := range []struct {
		move strategy.Move
		hold time.Duration
		want string
	}{
		{strategy.Move{}, 0, resource},
		{strategy.Move{After: time.Minute}, 0, resource},
		{strategy.Move{Now: true}, 0, ""},
		{strategy.Move{}, time.Minute, ""},
	} {
		s := check.CrossCheck(fixedPause{inner{row.move}, row.hold}, check.Check{After: time.Hour})
		a := strategy.Answer{Method: http.MethodPut, Target: resource, URL: "https://a.test/op", Poll: "https://a.test/op", Code: 200}
		got, way, err := check.StepIn(s, a, strategy.Situation{Age: time.Hour})
		require.NoError(t, err)
		require.Equal(t, row.want, got.Poll, "%+v", row.move)
		require.Equal(t, row.hold, way.Hold)
	}
}
