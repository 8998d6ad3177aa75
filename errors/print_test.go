package errors_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

// No value of this package's types reveals a secret when fmt or log/slog prints it.
func TestPrinting(t *testing.T) {
	const s = `Get "https://u:SECRET@a.test/x?sig=SECRET": Bearer SECRET`
	d := detail{Message: s, Details: []detail{{Code: s}}, InnerError: []byte(s)}
	status := lroerrors.StatusError{URL: s, Detail: &d, Err: errors.New(s)}
	values := []any{
		d, &d,
		[]detail{d},
		d.Unwrap(),
		map[string]*detail{"d": &d},
		status, &status,
		struct{ Err error }{&status},
		struct{ Err lroerrors.StatusError }{status},
		lroerrors.OperationError{Word: s, Detail: &d},
		lroerrors.ResultError{URL: s, Err: &status},
		*(&lroerrors.WaitError{URL: s, LastErr: &status, Err: errors.New(s)}).WithToken(func() (string, error) { return s, nil }),
		lroerrors.AdditionalInfo{Type: s, Info: []byte(s)},
		[]lroerrors.AdditionalInfo{{Info: []byte(s)}},
	}
	for _, err := range leaky(s) {
		values = append(values, err)
	}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%s", "%q"} {
			require.NotContains(t, fmt.Sprintf(verb, v), "SECRET", "%s of %T", verb, v)
		}
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
		require.NotContains(t, b.String(), "SECRET", "slog of %T", v)
	}
}

func TestPrintingValues(t *testing.T) {
	status := lroerrors.StatusError{StatusCode: 409, Detail: busy}
	op := lroerrors.OperationError{State: "Failed", Detail: busy}
	res := lroerrors.ResultError{Err: &status}
	wait := lroerrors.WaitError{Reason: lroerrors.ReasonGone}
	require.Equal(t, status.Error(), fmt.Sprintf("%+v", status))
	require.Equal(t, op.Error(), fmt.Sprintf("%+v", op))
	require.Equal(t, res.Error(), fmt.Sprintf("%+v", res))
	require.Equal(t, wait.Error(), fmt.Sprintf("%+v", wait))
	info := lroerrors.AdditionalInfo{Type: "ActivityId", Info: []byte(`{"activityId":"a1"}`)}
	require.Equal(t, `ActivityId {"activityId":"a1"}`, fmt.Sprintf("%+v", info))
}

// Error and Unwrap are safe for concurrent use. Run this test with -race.
func TestConcurrentReaders(t *testing.T) {
	for _, err := range leaky("a https://u:p@a.test/x?y=z") {
		want := err.Error()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range 10 {
					if got := err.Error(); got != want {
						t.Errorf("%q, want %q", got, want)
					}
					_ = errors.Is(err, lroerrors.ErrCanceled)
					_, _ = errors.AsType[*detail](err)
				}
			})
		}
		wg.Wait()
	}
}
