// Package watch contains only tests, which compare poller.Watch with helpers from other modules.
// docs/watch.md shows the code before and after each move to Watch.
package watch

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/migrate/watch/after"
	"github.com/lro-go/lro/internal/migrate/watch/before"
	"github.com/lro-go/lro/internal/migrate/watch/machines"
)

// A service returns its states in turn, and repeats the last one. If a state is a number, the read
// fails with that status code. If a state is an error, DescribeTable fails with that error and
// status code 400.
type service struct {
	states []any
	start  time.Time
	at     []time.Duration
}

func (s *service) next() any {
	state := s.states[min(len(s.at), len(s.states)-1)]
	s.at = append(s.at, time.Since(s.start))
	return state
}

func (s *service) Get(ctx context.Context, name string) (*machines.Machine, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch state := s.next().(type) {
	case int:
		return nil, &machines.Error{Code: state}
	default:
		return &machines.Machine{Name: name, State: state.(string)}, nil
	}
}

func (s *service) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	refused := func(code int, err error) error {
		return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}}, Err: err}
	}
	switch state := s.next().(type) {
	case int:
		return nil, refused(state, &smithy.GenericAPIError{Code: "InternalServerError"})
	case error:
		return nil, refused(http.StatusBadRequest, state)
	default:
		return &dynamodb.DescribeTableOutput{Table: &types.TableDescription{TableStatus: types.TableStatus(state.(string))}}, nil
	}
}

// A record holds the times of the reads and the outcome of the wait.
type record struct {
	at      []time.Duration
	outcome string
}

func play(t *testing.T, states []any, side func(context.Context, *service) error) (r record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &service{states: states, start: time.Now()}
		err := side(t.Context(), s)
		r = record{s.at, outcomeOf(t, err)}
	})
	return r
}

func outcomeOf(t *testing.T, err error) string {
	t.Helper()
	var wait *lroerrors.WaitError
	var failed *lroerrors.OperationError
	var late *retry.TimeoutError
	var unexpected *retry.UnexpectedStateError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &late), errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.As(err, &unexpected), errors.As(err, &failed):
		return "unexpected word"
	case errors.As(err, &wait):
		return string(wait.Reason)
	}
	return "an error"
}

const s = time.Second

func seconds(list ...int) (all []time.Duration) {
	for _, n := range list {
		all = append(all, time.Duration(n)*s)
	}
	return all
}

// TestStateChangeConf checks when each side reads and how each wait ends. StateChangeConf's pauses
// double from MinTimeout, which is 1 s here, up to 10 s. They stop growing once a read shows the
// target state.
func TestStateChangeConf(t *testing.T) {
	log.SetOutput(io.Discard) // StateChangeConf writes to the log
	for name, tt := range map[string]struct {
		states        []any
		before, after record
	}{
		"created": {
			[]any{"Creating", "Booting", "Creating", "Running"},
			record{seconds(30, 31, 33, 37, 41, 45), "done"},
			record{seconds(30, 31, 33, 37, 45, 55), "done"},
		},
		"an unknown word": {[]any{"Creating", "Broken"}, record{seconds(30, 31), "unexpected word"}, record{seconds(30, 31, 33, 37), "unexpected word"}},
		"a 503":           {[]any{"Creating", 503, "Running"}, record{seconds(30, 31), "an error"}, record{seconds(30, 31, 32, 34, 38), "done"}},
		"a 403":           {[]any{"Creating", 403}, record{seconds(30, 31), "an error"}, record{seconds(30, 31), "Refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.before, play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := before.WaitRunning(ctx, s, "m1")
				return err
			}), "before")
			require.Equal(t, tt.after, play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := after.WaitRunning(ctx, s, "m1")
				return err
			}), "after")
		})
	}
	for name, states := range map[string][]any{"gone": {"Running", "Deleting", 404}, "gone at once": {404}} {
		t.Run(name, func(t *testing.T) {
			was := play(t, states, func(ctx context.Context, s *service) error { return before.WaitGone(ctx, s, "m1") })
			require.Equal(t, "done", was.outcome)
			require.Equal(t, was, play(t, states, func(ctx context.Context, s *service) error { return after.WaitGone(ctx, s, "m1") }))
		})
	}
}

// TestStateChangeConfFields checks what docs/watch.md says about StateChangeConf's fields.
func TestStateChangeConfFields(t *testing.T) {
	log.SetOutput(io.Discard)
	pauses := func(conf retry.StateChangeConf, states ...string) (list []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			last, n := time.Now(), 0
			conf.Refresh = func() (any, string, error) {
				list, last, n = append(list, time.Since(last)), time.Now(), n+1
				if states[min(n, len(states))-1] == "" {
					return nil, "", nil
				}
				return 1, states[min(n, len(states))-1], nil
			}
			conf.Target, conf.Timeout = []string{"b"}, time.Hour
			_, _ = conf.WaitForStateContext(t.Context())
		})
		return list
	}
	const ms = time.Millisecond
	require.Equal(t, []time.Duration{0, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10 * s, 10 * s}, pauses(retry.StateChangeConf{}, "a", "a", "a", "a", "a", "a", "a", "a", "b"))
	require.Equal(t, seconds(0, 15, 10, 10), pauses(retry.StateChangeConf{MinTimeout: 15 * s}, "a", "a", "a", "b"))
	require.Equal(t, seconds(0, 7, 7, 7), pauses(retry.StateChangeConf{PollInterval: 7 * s}, "a", "a", "a", "b"))
	require.Equal(t, []time.Duration{0, 200 * ms, 400 * ms}, pauses(retry.StateChangeConf{PollInterval: 180 * s}, "a", "a", "b"))
	require.Len(t, pauses(retry.StateChangeConf{PollInterval: s}, ""), 21, "the wait ends after 21 reads that find nothing")
	require.Len(t, pauses(retry.StateChangeConf{PollInterval: s, ContinuousTargetOccurence: 2}, "b", "", "b"), 3, "a read that finds nothing does not reset the count")
}

func TestPollUntilContextTimeout(t *testing.T) {
	for name, tt := range map[string]struct {
		states []any
		after  string
		before time.Duration // when before.PollRunning makes its last read
		is     time.Duration // when after.PollRunning makes its last read
		delta  float64       // the tolerance for the last read of before.PollRunning, in seconds
	}{
		"created": {[]any{"Creating", "Creating", "Running"}, "done", 20 * s, 20 * s, 0},
		"a 503":   {[]any{"Creating", 503, 503, "Running"}, "done", 30 * s, 40 * s, 0},
		"a 403":   {[]any{"Creating", 403}, "Refused", 1790 * s, 10 * s, 10},
	} {
		t.Run(name, func(t *testing.T) {
			was := play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := before.PollRunning(ctx, s, "m1")
				return err
			})
			is := play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := after.PollRunning(ctx, s, "m1")
				return err
			})
			require.Equal(t, tt.after, is.outcome)
			require.InDelta(t, tt.before.Seconds(), was.at[len(was.at)-1].Seconds(), tt.delta, "the deadline and a read fall together, so either may come first")
			require.Equal(t, tt.is, is.at[len(is.at)-1])
			if tt.after == "done" {
				require.Equal(t, "done", was.outcome)
			} else {
				require.Equal(t, "deadline", was.outcome)
			}
		})
	}
}

// TestWaiter checks the outcomes of an AWS waiter and of poller.Watch, and when Watch reads. It
// does not check when the waiter reads, because a waiter's pauses are random.
func TestWaiter(t *testing.T) {
	missing := &types.ResourceNotFoundException{}
	throttled := &smithy.GenericAPIError{Code: "ThrottlingException"}
	for name, tt := range map[string]struct {
		states        []any
		before, after string
		at            []time.Duration
	}{
		"created":   {[]any{missing, "CREATING", "CREATING", "ACTIVE"}, "done", "done", seconds(0, 5, 15, 35)},
		"a 500":     {[]any{"CREATING", 500, "ACTIVE"}, "an error", "done", seconds(0, 5, 10)},
		"throttled": {[]any{"CREATING", throttled, "ACTIVE"}, "an error", "done", seconds(0, 5, 10)},
		"forbidden": {[]any{"CREATING", &smithy.GenericAPIError{Code: "AccessDeniedException"}}, "an error", "Refused", seconds(0, 5)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.before, play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := before.WaitTable(ctx, s, "t1")
				return err
			}).outcome, "before")
			require.Equal(t, record{tt.at, tt.after}, play(t, tt.states, func(ctx context.Context, s *service) error {
				_, err := after.WaitTable(ctx, s, "t1")
				return err
			}), "after")
		})
	}
}
