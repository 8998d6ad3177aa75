package errors_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// The switch in the Example recognizes every way a wait can end, even if the error wraps errors of
// other types.
func TestEndings(t *testing.T) {
	const (
		result    = "here is the result"
		operation = "it failed or was canceled"
		unread    = "it succeeded; read the result again"
		wait      = "we stopped waiting; store wait.ResumeToken() and resume later"
		status    = "a request was refused or got no response"
	)
	refuse, outage := fakes.Status(http.StatusBadRequest), fakes.Status(http.StatusServiceUnavailable)
	tests := []struct {
		name   string
		plan   fakes.Plan
		fault  fakes.Fault
		want   string
		nested bool // the error also contains a *StatusError, which the switch must not find
	}{
		{name: "success", want: result},
		{name: "failure", plan: fakes.Plan{Ending: fakes.Failed}, want: operation},
		{name: "canceled", plan: fakes.Plan{Ending: fakes.Canceled}, want: operation},
		{name: "failure reported by a Location", plan: fakes.Plan{Style: fakes.Location, Ending: fakes.Failed}, want: operation},
		{
			name: "result refused", want: unread, nested: true,
			fault: fakes.Fault{Kind: fakes.Read, Do: refuse},
		},
		{name: "deadline", plan: fakes.Plan{Duration: fakes.Forever}, want: wait},
		{
			name: "deadline before the result", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Read, Do: fakes.Throttle(23 * time.Hour)},
		},
		{
			name: "status refused", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Poll, Do: refuse},
		},
		{
			name: "out of patience", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Poll, Do: outage},
		},
		{
			name: "foreign origin", want: wait, nested: true,
			fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://b.test/op")},
		},
		{name: "request refused", fault: fakes.Fault{Kind: fakes.Begin, Do: refuse}, want: status},
		{name: "no response", fault: fakes.Fault{Kind: fakes.Begin, Do: fakes.Drop()}, want: status},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			defer cancel()
			svc := &fakes.Service{Default: tt.plan}
			svc.Fault(tt.fault)
			err := create(ctx, fakes.Client(svc))
			require.Equal(t, tt.want, ending(err), "%s: %v", tt.name, err)
			if tt.nested {
				require.NotNil(t, lastRequest(err), "%s", tt.name)
			}
		})
	}
}

// lastRequest extracts the error of the last request from a *WaitError or a *ResultError. It
// returns nil for any other error.
func lastRequest(err error) *lroerrors.StatusError {
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return wait.LastErr
	}
	var status *lroerrors.StatusError
	if result, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		errors.As(result.Err, &status)
	}
	return status
}

// create creates a widget and waits until it is ready.
func create(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		return err
	}
	p, err := poller.Begin[any](req, client, nil)
	if err != nil {
		return err
	}
	_, err = p.PollUntilDone(ctx)
	return err
}
