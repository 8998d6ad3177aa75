package errors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

func TestErrCanceled(t *testing.T) {
	ended := func(state string) error {
		return &lroerrors.OperationError{State: lroerrors.State(state), Detail: &detail{Code: "Canceled", Message: "lro: operation was canceled"}}
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
		{ended("canceled"), false}, // no match, because a State always starts with a capital letter
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
		LastErr: status,
	}
	for _, err := range []error{
		status,
		wait,
		&lroerrors.ResultError{Err: status},
		fmt.Errorf("vm: %w", &lroerrors.ResultError{Err: fmt.Errorf("last: %w", status)}),
	} {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorIs(t, err, status)
	}
	for _, err := range []error{d, status, wait, &lroerrors.ResultError{Err: status}, &lroerrors.OperationError{State: "Failed", Detail: d}} {
		got, ok := errors.AsType[*detail](err)
		require.True(t, ok, "%T", err)
		require.Same(t, d, got, "errors.As must find the outermost Detail")
		require.ErrorIs(t, err, &d.Details[1].Details[0], "errors.Is must find every Detail")
	}
	require.ErrorIs(t, wait, context.Canceled)
	require.ErrorIs(t, wait, cause)
	require.ErrorIs(t, wait, status)
}

// Unwrap returns no errors for a zero value.
func TestUnwrapEmptyError(t *testing.T) {
	require.Empty(t, (&lroerrors.StatusError{}).Unwrap())
	require.Empty(t, (&lroerrors.OperationError{}).Unwrap())
	require.Empty(t, (&lroerrors.WaitError{}).Unwrap())
	require.Empty(t, (&lroerrors.ResultError{}).Unwrap())
	require.Empty(t, (&detail{}).Unwrap())
}

// kindsOf returns the names of the error types that errors.As finds in err.
func kindsOf(err error) (kinds []string) {
	if _, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		kinds = append(kinds, "Operation")
	}
	if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		kinds = append(kinds, "Result")
	}
	if _, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		kinds = append(kinds, "Wait")
	}
	if _, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		kinds = append(kinds, "Status")
	}
	return kinds
}

// If errors of the four error types wrap each other, errors.As finds only the outermost one. So a
// caller can check for the four types in any order.
func TestOneTypeInEachError(t *testing.T) {
	inner := map[string]error{
		"nothing":   nil,
		"operation": &lroerrors.OperationError{State: "Failed", Detail: busy},
		"result":    &lroerrors.ResultError{Err: io.EOF},
		"wait":      &lroerrors.WaitError{Reason: lroerrors.ReasonGone},
		"status":    &lroerrors.StatusError{StatusCode: 409, Detail: busy, Err: errors.New("Bearer SECRETSECRET")},
	}
	for name, err := range inner {
		for _, err := range []error{err, fmt.Errorf("%w: %w", context.Canceled, err), errors.Join(io.EOF, err), fmt.Errorf("Bearer SECRETSECRET: %w", err)} {
			status := &lroerrors.StatusError{StatusCode: 409, Detail: busy, Err: err}
			for want, outer := range map[string]error{
				"Operation": &lroerrors.OperationError{State: "Failed", Err: err},
				"Result":    &lroerrors.ResultError{Err: err},
				"Wait":      &lroerrors.WaitError{LastErr: status, Err: err},
				"Status":    status,
			} {
				require.Equal(t, []string{want}, kindsOf(outer), "%s in %s", name, want)
				require.Equal(t, []string{want}, kindsOf(fmt.Errorf("vm: %w", outer)), "%s in %s, wrapped", name, want)
				if err != nil {
					require.ErrorIs(t, outer, err, "%s in %s", name, want)
				}
			}
		}
	}
	for _, err := range []error{busy, lroerrors.ErrNotDone, context.Canceled, nil} {
		require.Empty(t, kindsOf(err))
	}
}

// A StatusError or a WaitError does not match ErrUnfollowable merely because an error inside it
// does. The inner error may be about another operation that a Doer waited for.
func TestErrUnfollowable(t *testing.T) {
	other := &lroerrors.WaitError{Reason: lroerrors.ReasonUnfollowable}
	require.ErrorIs(t, fmt.Errorf("create: %w", other), lroerrors.ErrUnfollowable)
	require.NotErrorIs(t, &lroerrors.WaitError{Reason: lroerrors.ReasonRefused}, lroerrors.ErrUnfollowable)
	require.NotErrorIs(t, &lroerrors.StatusError{Err: other}, lroerrors.ErrUnfollowable)
	require.NotErrorIs(t, &lroerrors.WaitError{Reason: lroerrors.ReasonRefused, LastErr: &lroerrors.StatusError{Err: other}}, lroerrors.ErrUnfollowable)
}

func TestResumeToken(t *testing.T) {
	without := &lroerrors.WaitError{Reason: lroerrors.ReasonGone, Polls: 3}
	with := without.WithToken(func() (string, error) { return "t", io.EOF })
	token, err := with.ResumeToken()
	require.Equal(t, "t", token)
	require.Equal(t, io.EOF, err)
	require.Equal(t, without.Error(), with.Error(), "the copy must have the same fields")

	token, err = without.ResumeToken()
	require.Empty(t, token)
	require.ErrorIs(t, err, lroerrors.ErrNoOperation)
	require.EqualError(t, err, "lro: no usable URL to poll in the response, so there is no resume token")
}

// A nil *Detail in a variable of type error is not a nil error. Its methods, errors.Is, errors.As
// and package fmt must not panic on it.
func TestNilDetail(t *testing.T) {
	none := (*detail)(nil)
	var err error = none
	require.NotErrorIs(t, err, io.EOF)
	require.False(t, errors.As(err, new(*lroerrors.StatusError)))
	require.Equal(t, "no error detail", err.Error())
	require.Equal(t, "<nil>", fmt.Sprintf("%v", err))
	require.Equal(t, "<nil>", fmt.Sprint(none))
	require.Nil(t, none.Unwrap())
	require.True(t, none.IsZero())
	b, err := json.Marshal(none)
	require.NoError(t, err)
	require.Equal(t, "null", string(b))
	require.False(t, reflect.TypeOf(none).Implements(reflect.TypeFor[fmt.Stringer]()), "String of a nil *Detail would panic")
}
