package errors_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

// wraps simulates an error from another package. Its text need not include the wrapped error's
// text, unlike the text of an error from fmt.Errorf.
type wraps struct {
	text  string
	inner error
}

func (w *wraps) Error() string { return w.text }

func (w *wraps) Unwrap() error { return w.inner }

// joins simulates an error from another package that wraps several errors. Unlike an error from
// errors.Join, it may wrap nil.
type joins struct{ inner []error }

func (*joins) Error() string { return "joined" }

func (j *joins) Unwrap() []error { return j.inner }

// StatusError.Unwrap redacts and truncates an error's message if the message, or the message of a
// wrapped error, contains a credential or is longer than 2000 bytes. errors.Is still finds the
// original error.
func TestRedactedErrorChain(t *testing.T) {
	secret, innocent := errors.New("asked /x?sig=SECRET"), errors.New("connection refused")
	tests := map[string]struct {
		err      error
		withheld bool
	}{
		"innocent":             {innocent, false},
		"innocent within":      {fmt.Errorf("token: %w", innocent), false},
		"innocent in a list":   {errors.Join(io.EOF, innocent), false},
		"nothing within":       {&wraps{"empty", nil}, false},
		"nothings in a list":   {&joins{[]error{nil, innocent, nil}}, false},
		"ours":                 {&lroerrors.StatusError{Err: secret}, false},
		"as long as ours":      {errors.New(strings.Repeat("x", 2000)), false},
		"longer":               {errors.New(strings.Repeat("x", 2001)), true},
		"secret":               {secret, true},
		"secret within":        {&wraps{"clean", secret}, true},
		"secret deep within":   {&wraps{"clean", &wraps{"clean", secret}}, true},
		"secret in a list":     {&joins{[]error{nil, innocent, secret}}, true},
		"secret before others": {&joins{[]error{secret, innocent}}, true},
	}
	for name, tt := range tests {
		got := (&lroerrors.StatusError{Err: tt.err}).Unwrap()[0]
		require.ErrorIs(t, got, tt.err, name)
		require.NoError(t, errors.Unwrap(got), "%s: Unwrap must return nil", name)
		if !tt.withheld {
			require.Equal(t, tt.err.Error(), got.Error(), name)
			continue
		}
		require.NotContains(t, got.Error(), "SECRET", name)
	}
}

// errors.As finds a wrapped error even if its text is redacted.
func TestRedactedErrorIsReachable(t *testing.T) {
	inner := &wraps{"asked /x?sig=SECRET", io.EOF}
	got, ok := errors.AsType[*wraps](&lroerrors.ResultError{Err: inner})
	require.True(t, ok)
	require.Same(t, inner, got)
}
