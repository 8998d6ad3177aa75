package poller_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// typesIn looks for each of the four error types in err with errors.As, and returns the names of
// the types it finds.
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

// ofAnother holds an ordinary error and errors about another operation. A Doer may return such an
// error, for example if it needs a credential that the other operation creates. A caller may also
// cancel the context with such an error as the cause.
var ofAnother = map[string]error{
	"none":      errors.New("broken"),
	"operation": &lroerrors.OperationError{State: poller.Canceled, Detail: &lroerrors.Detail{Code: "Other"}},
	"result":    &lroerrors.ResultError{Err: &lroerrors.StatusError{StatusCode: 404}},
	"wait":      &lroerrors.WaitError{Reason: lroerrors.ReasonGone, LastErr: &lroerrors.StatusError{StatusCode: 410}},
	"status":    fmt.Errorf("token: %w", &lroerrors.StatusError{StatusCode: 500}),
}

// A failingDoer returns err for requests with the given method and path, and sends all others to
// the service.
type failingDoer struct {
	*service
	method, path string
	err          error
}

func (f failingDoer) Do(req *http.Request) (*http.Response, error) {
	if req.Method == f.method && req.URL.Path == f.path {
		return nil, f.err
	}
	return f.client().Do(req)
}

// Each error has exactly one of the four types, even if the Doer's error or the context's cause has
// one of these types too.
func TestEachErrorHasOneType(t *testing.T) {
	canceling := &poller.Options{Origins: []string{origin}, CancelRequest: func(poller.Status) (*poller.Request, error) {
		return &poller.Request{URL: "/cancel"}, nil
	}}
	for cause, other := range ofAnother {
		bubble(t, func(t *testing.T) {
			replies := func() map[string][]reply {
				return map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, succeeded}, get(resource): {widget}, "POST /cancel": {"202"}}
			}
			one := func(what string, err error, want string) {
				t.Helper()
				require.Error(t, err, "%s, %s", what, cause)
				require.Equal(t, []string{want}, typesIn(err), "%s, %s: %v", what, cause, err)
				require.NotErrorIs(t, err, lroerrors.ErrCanceled, "%s, %s", what, cause)
			}
			ended, cancel := context.WithCancelCause(t.Context())
			cancel(other)
			start := func(method, path string) *poller.Poller[raw] {
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), failingDoer{serve(replies()), method, path, other}, canceling)
				require.NoError(t, err)
				return p
			}

			_, err := poller.Begin[raw](newRequest(t, "PUT", resource), failingDoer{serve(replies()), "PUT", resource, other}, nil)
			one("Begin", err, "StatusError")
			_, err = poller.Begin[raw](newRequest(t, "PUT", resource).WithContext(ended), serve(replies()).client(), nil)
			one("Begin with an ended context", err, "StatusError")
			_, err = start("GET", monitor).Poll(t.Context())
			one("Poll", err, "StatusError")
			_, err = start("GET", monitor).Poll(ended)
			one("Poll with an ended context", err, "WaitError")
			_, err = start("GET", monitor).PollUntilDone(t.Context())
			one("PollUntilDone", err, "WaitError")
			_, err = start("GET", resource).PollUntilDone(t.Context())
			one("PollUntilDone, of the result", err, "ResultError")
			_, err = start("", "").PollUntilDone(ended)
			one("PollUntilDone with an ended context", err, "WaitError")
			one("Cancel", start("POST", "/cancel").Cancel(t.Context()), "StatusError")
			one("Cancel with an ended context", start("", "").Cancel(ended), "WaitError")

			for ctx, want := range map[context.Context]string{t.Context(): "ResultError", ended: "WaitError"} {
				g := poller.NewGroup[*poller.Poller[raw]](nil)
				g.Add(start("GET", resource))
				g.Close()
				for _, err := range g.Wait(ctx) {
					one("Wait", err, want)
				}
			}
		})
	}
}

// An error about a refused request, an operation that cannot be followed, invalid arguments or a
// failed Watch has exactly one of the four types.
func TestEachRefusalHasOneType(t *testing.T) {
	begins := func(method, response string, opts *poller.Options) error {
		_, err := poller.Begin[raw](newRequest(t, method, resource), serve(map[string][]reply{method + " " + resource: {response}}).client(), opts)
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"refused":          {begins("PUT", `403 {"error":{"code":"No"}}`, nil), "StatusError"},
		"no operation":     {begins("POST", "202", nil), "WaitError"},
		"HTML":             {begins("POST", "200 <html>", nil), "WaitError"},
		"foreign URL":      {begins("PUT", "202\nAzure-AsyncOperation: https://elsewhere.test/op", nil), "WaitError"},
		"other protocol":   {begins("PUT", "202", &poller.Options{Strategy: arm.Location}), "WaitError"},
		"invalid options":  {begins("PUT", "202", &poller.Options{ResultPointer: "x"}), "StatusError"},
		"a nil request":    {second(poller.Begin[raw](nil, nil, nil)), "StatusError"},
		"a nil response":   {second(poller.New[raw](nil, nil, nil)), "StatusError"},
		"no Request":       {second(poller.New[raw](&http.Response{StatusCode: 202}, nil, nil)), "StatusError"},
		"a failed Watch":   {watchError(t, errors.New("broken")), "WaitError"},
		"a Watch's reason": {watchError(t, ofAnother["operation"]), "WaitError"},
	} {
		require.Equal(t, []string{tt.want}, typesIn(tt.err), "%s: %v", name, tt.err)
	}
}

// A cutDoer cancels the caller's context when it receives a GET with the given path. The cause is
// one of the errors in ofAnother.
type cutDoer struct {
	*service
	path   string
	cancel context.CancelCauseFunc
	cause  error
}

func (c cutDoer) Do(req *http.Request) (*http.Response, error) {
	if req.Method != "GET" || req.URL.Path != c.path {
		return c.client().Do(req)
	}
	c.cancel(c.cause)
	return nil, fmt.Errorf("do: %w", errors.Join(context.Cause(req.Context()), req.Context().Err()))
}

// Each error from Advance, Resume, Result or Updates has exactly one of the four types, except
// ErrNotDone and errors about invalid arguments.
func TestEachErrorOfATokenHasOneType(t *testing.T) {
	for cause, other := range ofAnother {
		bubble(t, func(t *testing.T) {
			const gone = `404 {"error":{"code":"NotFound"}}`
			replies := map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, succeeded}, get(resource): {gone}}
			start := func(client poller.Doer) *poller.Poller[raw] {
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, trusted)
				require.NoError(t, err)
				return p
			}
			one := func(what string, err error, want ...string) {
				t.Helper()
				require.Error(t, err, "%s, %s", what, cause)
				require.Equal(t, want, typesIn(err), "%s, %s: %v", what, cause, err)
				require.NotErrorIs(t, err, lroerrors.ErrCanceled, "%s, %s", what, cause)
			}
			started := start(serve(replies).client())
			token, err := started.ResumeToken()
			require.NoError(t, err)
			_, err = started.Result(t.Context())
			one("Result of a running operation", err)
			time.Sleep(time.Minute) // until a read is due

			impatient := &poller.Options{Origins: []string{origin}, Patience: poller.Patience{Time: -1}}
			fails := failingDoer{serve(replies), "GET", monitor, other}
			step, err := poller.Advance[raw](t.Context(), token, fails, trusted)
			require.NoError(t, err)
			one("Advance, ReadErr", step.Status.ReadErr, "StatusError")
			_, err = poller.Advance[raw](t.Context(), token, fails, impatient)
			one("Advance without patience", err, "WaitError")

			ctx, cancel := context.WithCancelCause(t.Context())
			_, err = poller.Advance[raw](ctx, token, cutDoer{serve(replies), monitor, cancel, other}, trusted)
			one("Advance, interrupted", err, "WaitError")
			_, err = poller.Advance[raw](ctx, token, serve(replies).client(), trusted)
			one("Advance with an ended context", err, "WaitError")

			ends := map[string][]reply{get(monitor): {succeeded}, get(resource): {widget}}
			_, err = poller.Advance[raw](t.Context(), token, failingDoer{serve(ends), "GET", resource, other}, impatient)
			one("Advance, of the result", err, "ResultError")
			ctx, cancel = context.WithCancelCause(t.Context())
			_, err = poller.Advance[raw](ctx, token, cutDoer{serve(ends), resource, cancel, other}, trusted)
			one("Advance, interrupted at the result", err, "WaitError")

			p, err := poller.Resume[raw](token, failingDoer{serve(ends), "GET", resource, other}, trusted)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			_, err = p.Result(t.Context())
			one("Result", err, "StatusError")
			_, err = p.Result(ctx)
			one("Result with an ended context", err, "WaitError")
			for _, err := range start(fails).Updates(ctx) {
				if err != nil {
					one("Updates with an ended context", err, "WaitError")
				}
			}
		})
	}
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"Resume: broken token":    {second(poller.Resume[raw](`{"lro":1`, nil, trusted)), nil},
		"Resume: newer token":     {second(poller.Resume[raw](`{"lro":2,"phase":7}`, nil, trusted)), nil},
		"Resume: invalid options": {second(poller.Resume[raw](`{}`, nil, &poller.Options{ResultPointer: "x"})), nil},
		"Advance: broken token":   {third(poller.Advance[raw](t.Context(), "", nil, trusted)), nil},
	} {
		require.Error(t, tt.err, name)
		require.Equal(t, tt.want, typesIn(tt.err), "%s: %v", name, tt.err)
	}
}

func third[T any](_ poller.Step[T], err error) error { return err }

// An undecodable is a result type whose UnmarshalJSON method returns another operation's error.
type undecodable struct{}

func (*undecodable) UnmarshalJSON([]byte) error { return ofAnother["operation"] }

// Each error has exactly one of the four types, even if a caller's function, such as a Judge,
// returns an error of one of these types.
func TestEachErrorOfACallerHasOneType(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for cause, other := range ofAnother {
			replies := map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}}
			begin := func(opts *poller.Options) *poller.Poller[undecodable] {
				p, err := poller.Begin[undecodable](newRequest(t, "PUT", resource), serve(replies).client(), opts)
				require.NoError(t, err)
				return p
			}
			one := func(what string, err error, want string) {
				t.Helper()
				require.Equal(t, []string{want}, typesIn(err), "%s, %s: %v", what, cause, err)
				require.NotErrorIs(t, err, lroerrors.ErrCanceled, "%s, %s", what, cause)
			}
			_, err := begin(nil).PollUntilDone(t.Context())
			one("UnmarshalJSON", err, "ResultError")

			failing := step(func(a strategy.Answer) (strategy.Move, error) {
				if a.First {
					return strategy.Move{Poll: monitor}, nil
				}
				return strategy.Move{}, other
			})
			_, err = begin(&poller.Options{Strategy: failing}).Poll(t.Context())
			one("Step", err, "StatusError")
			_, err = begin(&poller.Options{Strategy: failing}).PollUntilDone(t.Context())
			one("Step", err, "WaitError")

			canceling := &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) { return nil, other }}
			one("CancelRequest", begin(canceling).Cancel(t.Context()), "StatusError")
			watch := poller.Watch(func(context.Context) (string, error) { return "", nil }, func(string, error) (poller.Status, error) {
				return poller.Status{}, other
			}, &poller.WatchOptions{Cancel: func(context.Context, poller.Status) error { return other }})
			one("WatchOptions.Cancel", watch.Cancel(t.Context()), "StatusError")
			_, err = watch.Poll(t.Context())
			require.Len(t, typesIn(err), 1, "Judge, %s: %v", cause, err) // the type depends on the cause
			failed := poller.Watch(func(context.Context) (string, error) { return "", nil }, func(string, error) (poller.Status, error) {
				return poller.Status{State: poller.Failed}, other
			}, nil)
			_, err = failed.PollUntilDone(t.Context())
			one("Judge, failed", err, "OperationError")
		}
	})
}

// watchError returns the error that ends a Watch whose getter always fails.
func watchError(t *testing.T, fails error) (err error) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		_, err = poller.Watch(func(context.Context) (string, error) { return "", fails }, poller.Found, nil).PollUntilDone(ctx)
	})
	return err
}
