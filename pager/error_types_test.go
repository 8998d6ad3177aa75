package pager_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
)

// errors.As finds only a *StatusError in the error of a page, even if the Doer fails with the error of
// an operation for which it has waited, or the context ends because another operation failed.
func TestEachErrorHasOneType(t *testing.T) {
	for _, other := range []error{
		errors.New("broken"),
		&lroerrors.OperationError{State: "Failed"},
		&lroerrors.ResultError{},
		&lroerrors.WaitError{Reason: lroerrors.ReasonGone},
		fmt.Errorf("token: %w", &lroerrors.StatusError{StatusCode: 500}),
	} {
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(other)
		for _, ctx := range []context.Context{t.Context(), ended} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/list", http.NoBody)
			require.NoError(t, err)
			p := pager.New[int](req, doer(func(*http.Request) (*http.Response, error) { return nil, other }), nil)
			_, err = p.NextPage(ctx)
			require.Error(t, err)
			var (
				operation *lroerrors.OperationError
				result    *lroerrors.ResultError
				wait      *lroerrors.WaitError
				status    *lroerrors.StatusError
			)
			require.False(t, errors.As(err, &operation) || errors.As(err, &result) || errors.As(err, &wait), "%v", err)
			if ctx != ended {
				require.ErrorAs(t, err, &status)
			}
		}
	}
}
