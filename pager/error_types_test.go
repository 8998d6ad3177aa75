package pager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
)

// typesIn returns the names of lro's error types that errors.As finds in err.
func typesIn(err error) (found []string) {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	for name, target := range map[string]any{"OperationError": &operation, "ResultError": &result, "WaitError": &wait, "StatusError": &status} {
		if errors.As(err, target) {
			found = append(found, name)
		}
	}
	return found
}

// undecodable is an item whose UnmarshalJSON returns the error in the variable refusal.
type undecodable struct{}

var refusal error

func (*undecodable) UnmarshalJSON([]byte) error { return refusal }

// If a page cannot be read, errors.As finds only a *StatusError, even if its cause has another
// type, such as *OperationError.
func TestEachErrorHasOneType(t *testing.T) {
	request := func() *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/list", http.NoBody)
		require.NoError(t, err)
		return req
	}
	page := doer(func(req *http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(`{"value":[1],"nextLink":"/list"}`))
		return &http.Response{StatusCode: http.StatusOK, Request: req, Body: body}, nil
	})
	for _, other := range []error{
		errors.New("broken"),
		&lroerrors.OperationError{State: "Failed"},
		&lroerrors.ResultError{},
		&lroerrors.WaitError{Reason: lroerrors.ReasonGone},
		fmt.Errorf("token: %w", &lroerrors.StatusError{StatusCode: 500}),
	} {
		one := func(what string, err error) {
			t.Helper()
			require.Equal(t, []string{"StatusError"}, typesIn(err), "%s: %v", what, err)
		}
		fails := doer(func(*http.Request) (*http.Response, error) { return nil, other })
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(other)
		_, err := pager.New[int](request(), fails, nil).NextPage(t.Context())
		one("a Doer that fails", err)
		_, err = pager.New[int](request(), page, nil).NextPage(ended)
		one("an ended context", err)

		ctx, cancel := context.WithCancelCause(t.Context())
		cuts := doer(func(req *http.Request) (*http.Response, error) {
			cancel(other)
			return nil, errors.Join(context.Cause(req.Context()), req.Context().Err())
		})
		for _, err := range pager.New[int](request(), cuts, nil).All(ctx) {
			one("an interrupted read", err)
		}

		refusal = other
		for _, err := range pager.New[undecodable](request(), page, nil).Pages(t.Context()) {
			one("UnmarshalJSON", err)
		}
		next := &pager.Options{Next: func(pager.Page[json.RawMessage]) (*http.Request, error) { return nil, other }}
		p := pager.New[int](request(), page, next)
		_, err = p.NextPage(t.Context())
		require.NoError(t, err)
		_, err = p.NextPage(t.Context())
		one("Next", err)
	}

	_, err := pager.New[int](nil, page, nil).NextPage(t.Context())
	require.Equal(t, []string{"StatusError"}, typesIn(err), "a nil request: %v", err)
	_, err = pager.New[int](request(), page, &pager.Options{Items: "x"}).NextPage(t.Context())
	require.LessOrEqual(t, len(typesIn(err)), 1, "invalid options: %v", err)
	p := pager.New[int](request(), page, nil)
	_, err = p.NextPage(t.Context())
	require.NoError(t, err)
	_, err = p.NextPage(t.Context())
	require.ErrorIs(t, err, lroerrors.ErrRepeatedLink)
	require.Equal(t, []string{"StatusError"}, typesIn(err), "a repeated link: %v", err)
}
