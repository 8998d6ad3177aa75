package poller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestCancelWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen []poller.Status
		opts := &poller.WatchOptions{Name: "vm1", Cancel: func(_ context.Context, st poller.Status) error {
			if seen = append(seen, st); len(seen) == 1 {
				return coded(409)
			}
			return nil
		}}
		p := poller.Watch(gets(is("x"), is("Canceled")).get, word, opts)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		err = p.Cancel(t.Context())
		require.EqualError(t, err, "lro: vm1: 409 Conflict: code 409")
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, "x", seen[1].Word)
		_, err = p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		require.NoError(t, p.Cancel(t.Context()), "it has ended")
		require.Len(t, seen, 2)
		require.ErrorIs(t, poller.Watch(gets(is("x")).get, word, nil).Cancel(t.Context()), errors.ErrUnsupported)
	})
}

// A panic in the getter or the judge reaches the caller. After that, the caller can wait again.
func TestPanicInWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		p := poller.Watch(func(context.Context) (int, error) {
			if n++; n == 1 {
				panic("getter")
			}
			return n, nil
		}, func(n int, _ error) (poller.Status, error) {
			if n == 2 {
				panic("judge")
			}
			return poller.Status{State: poller.Succeeded}, nil
		}, nil)
		require.PanicsWithValue(t, "getter", func() { _, _ = p.PollUntilDone(t.Context()) })
		require.PanicsWithValue(t, "judge", func() { _, _ = p.PollUntilDone(t.Context()) })
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3, v)
	})
	require.PanicsWithValue(t, "lro: Watch: get is nil", func() { poller.Watch[int](nil, nil, nil) })
}

// Done returns finished Pollers for use in callers' tests.
func TestDone(t *testing.T) {
	failed := &lroerrors.OperationError{State: "Failed"}
	canceled := &lroerrors.OperationError{State: "Canceled"}
	for _, tt := range []struct {
		v     int
		err   error
		state poller.State
	}{{7, nil, poller.Succeeded}, {0, failed, poller.Failed}, {0, canceled, poller.Canceled}, {3, errNoIdea, poller.Failed}} {
		bubble(t, func(t *testing.T) {
			p := poller.Done(tt.v, tt.err)
			require.True(t, p.Done())
			require.Equal(t, tt.state, p.Status().State)
			for _, wait := range []func(context.Context) (int, error){p.PollUntilDone, p.Result} {
				v, err := wait(t.Context())
				require.Equal(t, tt.err, err)
				require.Equal(t, tt.v, v)
			}
			for _, err := range groupOf(nil, p).Wait(t.Context()) {
				require.Equal(t, tt.err, err)
			}
			for st, err := range p.Updates(t.Context()) {
				require.NoError(t, err)
				require.Equal(t, tt.state, st.State)
			}
			st, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.state, st.State)
			require.Zero(t, p.NextPoll())
			require.NoError(t, p.Cancel(t.Context()))
		})
	}
}

// FirstHeader returns the headers of the first response, until the poller first reads the
// status.
func TestFirstHeader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt + "\nAzure-AsyncNotification: Enabled"}, get(monitor): {"202", "200 {}"}})
		p := begin(t, s, "POST", nil)
		require.Equal(t, origin+monitor, p.URL())
		require.Equal(t, "Enabled", p.FirstHeader().Get("Azure-AsyncNotification"))
		p.FirstHeader().Set("Azure-AsyncNotification", "changed")
		require.Equal(t, "Enabled", p.FirstHeader().Get("Azure-AsyncNotification"))
		require.Equal(t, http.Header(nil), resume(t, tokenOf(t, p), s).FirstHeader())
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Nil(t, p.FirstHeader())
	})
}

// FirstHeader returns every value, even one that is empty or that is the URL of the status.
func TestFirstHeaderValues(t *testing.T) {
	h := http.Header{"Location": {origin + monitor}, "X-A": {"1", "", "2"}, "X-B": {origin + monitor, " b "}, "Empty": {""}}
	p, err := poller.New[raw](withHeader(t, h), nil, nil) //nolint:bodyclose // it is empty
	require.NoError(t, err)
	require.Equal(t, h, p.FirstHeader())
}

// A Doer may return headers that HTTP does not allow.
func TestFirstHeaderInvalid(t *testing.T) {
	p, err := poller.New[raw](withHeader(t, http.Header{"Location": {origin + monitor}, "X\nA": {"1"}, "X-B": {"\x00", "a\nb"}}), nil, nil) //nolint:bodyclose // it is empty
	require.NoError(t, err)
	require.Equal(t, http.Header{"Location": {origin + monitor}, "X A": {"1"}, "X-B": {" ", "a b"}}, p.FirstHeader())
}

// An operation that could be followed only after Resume has no first headers.
func TestFirstHeaderAfterUnfollowed(t *testing.T) {
	const elsewhere = "https://status.example.test"
	_, err := poller.New[raw](withHeader(t, http.Header{"Location": {elsewhere + monitor}, "X-A": {"1"}}), nil, nil) //nolint:bodyclose // it is empty
	unfollowed, ok := errors.AsType[*lroerrors.WaitError](err)
	require.True(t, ok)
	token, err := unfollowed.ResumeToken()
	require.NoError(t, err)
	p, err := poller.Resume[raw](token, nil, &poller.Options{Origins: []string{origin, elsewhere}})
	require.NoError(t, err)
	require.Equal(t, elsewhere+monitor, p.URL())
	require.Nil(t, p.FirstHeader())
}

func withHeader(t *testing.T, h http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+resource, http.NoBody)
	require.NoError(t, err)
	return &http.Response{StatusCode: http.StatusAccepted, Header: h, Body: http.NoBody, Request: req}
}
