package errors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

func TestErrCanceled(t *testing.T) {
	ended := func(state string) error {
		return &lroerrors.OperationError{State: state, Detail: &detail{Code: "Canceled", Message: "lro: operation was canceled"}}
	}
	tests := []struct {
		err  error
		want bool
	}{
		{lroerrors.ErrCanceled, true},
		{ended("Canceled"), true},
		{fmt.Errorf("vm: %w", ended("Canceled")), true},
		{errors.Join(io.EOF, ended("Canceled")), true},
		{ended("Failed"), false},
		{ended("canceled"), false}, // not ErrCanceled, because State always starts with a capital letter
		{&lroerrors.OperationError{}, false},
		{context.Canceled, false},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, State: "Canceled", Err: context.Canceled}, false},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, Err: fmt.Errorf("%w: %w", context.Canceled, io.EOF)}, false},
		{&lroerrors.ResultError{Err: context.Canceled}, false},
		{&lroerrors.StatusError{StatusCode: 409, Detail: &detail{Code: "Canceled"}}, false},
		{nil, false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, errors.Is(tt.err, lroerrors.ErrCanceled), "%v", tt.err)
	}
	require.NotErrorIs(t, ended("Canceled"), context.Canceled, "the operation was canceled, not the context")
	require.NotErrorIs(t, ended("Canceled"), lroerrors.ErrNotDone)
}

func TestInnerErrorsAreReachable(t *testing.T) {
	inner := &detail{Code: "Inner", Details: []detail{{Code: "Deepest"}}}
	d := &detail{Code: "Outer", Details: []detail{{Code: "First"}, *inner}}
	status := &lroerrors.StatusError{StatusCode: 409, Detail: d, Err: io.ErrUnexpectedEOF}
	cause := errors.New("shutting down")
	wait := &lroerrors.WaitError{
		Err:     fmt.Errorf("%w: %w", context.Canceled, cause),
		LastErr: fmt.Errorf("last: %w", status),
	}
	for _, err := range []error{
		status,
		wait,
		&lroerrors.ResultError{Err: status},
		fmt.Errorf("vm: %w", &lroerrors.ResultError{Err: status}),
	} {
		got, ok := errors.AsType[*lroerrors.StatusError](err)
		require.True(t, ok, "%T", err)
		require.Same(t, status, got)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	for _, err := range []error{d, status, wait, &lroerrors.OperationError{State: "Failed", Detail: d}} {
		got, ok := errors.AsType[*detail](err)
		require.True(t, ok, "%T", err)
		require.Same(t, d, got, "the outermost detail")
		require.ErrorIs(t, err, &d.Details[1].Details[0], "every detail")
	}
	require.ErrorIs(t, wait, context.Canceled)
	require.ErrorIs(t, wait, cause)
	require.ErrorIs(t, wait, status)
}

// Unwrap returns nothing for an empty error.
func TestUnwrapNothing(t *testing.T) {
	require.Empty(t, (&lroerrors.StatusError{}).Unwrap())
	require.Empty(t, (&lroerrors.OperationError{}).Unwrap())
	require.Empty(t, (&lroerrors.WaitError{}).Unwrap())
	require.NoError(t, (&lroerrors.ResultError{}).Unwrap())
	require.Empty(t, (&detail{}).Unwrap())
}

// kindOf returns the name of the first error type that it finds in err. It checks for the types in the
// order that the package comment recommends.
func kindOf(err error) string {
	if _, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		return "Operation"
	}
	if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		return "Result"
	}
	if _, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return "Wait"
	}
	if _, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		return "Status"
	}
	return "other"
}

// In the order that the package comment recommends, an error may wrap an error of a later type, but
// never one of an earlier type. Therefore, the first match is the right one.
func TestSwitch(t *testing.T) {
	status := &lroerrors.StatusError{StatusCode: 409, Detail: busy, Err: io.EOF}
	wait := &lroerrors.WaitError{LastErr: status, Err: context.DeadlineExceeded}
	tests := []struct {
		err  error
		want string
	}{
		{&lroerrors.OperationError{State: "Failed", Detail: busy}, "Operation"},
		{&lroerrors.OperationError{State: "Canceled"}, "Operation"},
		{&lroerrors.ResultError{Err: status}, "Result"},
		{&lroerrors.ResultError{Err: wait}, "Result"},
		{wait, "Wait"},
		{&lroerrors.WaitError{LastErr: &lroerrors.StatusError{Err: status}}, "Wait"},
		{status, "Status"},
		{busy, "other"},
		{lroerrors.ErrNotDone, "other"},
		{context.Canceled, "other"},
		{nil, "other"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, kindOf(tt.err), "%v", tt.err)
		if tt.err != nil {
			require.Equal(t, tt.want, kindOf(fmt.Errorf("vm: %w", tt.err)), "wrapped: %v", tt.err)
		}
	}
}

func TestResumeToken(t *testing.T) {
	without := &lroerrors.WaitError{Reason: lroerrors.ReasonGone, Polls: 3}
	with := without.WithToken(func() (string, error) { return "t", io.EOF })
	token, err := with.ResumeToken()
	require.Equal(t, "t", token)
	require.Equal(t, io.EOF, err)
	require.Equal(t, without.Error(), with.Error(), "the copy has the other fields")

	token, err = without.ResumeToken()
	require.Empty(t, token)
	require.ErrorIs(t, err, lroerrors.ErrNoOperation)
	require.EqualError(t, err, "lro: no usable URL to poll in the response, so there is no resume token")
}
