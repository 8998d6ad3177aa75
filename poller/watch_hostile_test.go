package poller_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// readOnceOf creates a Watch whose getter returns v and err, polls it once, and returns it with the
// error from Poll.
func readOnceOf[T any](t *testing.T, v T, err error, judge poller.Judge[T], opts *poller.WatchOptions) (*poller.Poller[T], error) {
	t.Helper()
	p := poller.Watch(func(context.Context) (T, error) { return v, err }, judge, opts)
	_, err = p.Poll(t.Context())
	return p, err
}

// A nil interface or a nil pointer, even inside an interface, means that the getter found nothing.
// Any other zero value is an ordinary value.
func TestNilIsNotFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gone, _ := readOnceOf(t, (*machine)(nil), nil, poller.Gone, nil)
		require.True(t, gone.Done())
		inside, _ := readOnceOf[fmt.Stringer](t, (*bytes.Buffer)(nil), nil, poller.Gone, nil)
		require.True(t, inside.Done())
		null, _ := readOnceOf[any](t, nil, nil, poller.Gone, nil)
		require.True(t, null.Done())

		slice, err := readOnceOf(t, []machine(nil), nil, poller.Gone, nil)
		require.NoError(t, err)
		require.False(t, slice.Done())
		dict, err := readOnceOf(t, map[string]int(nil), nil, poller.Gone, nil)
		require.NoError(t, err)
		require.False(t, dict.Done())
		f, err := readOnceOf(t, (func())(nil), nil, poller.Found, nil)
		require.NoError(t, err)
		require.True(t, f.Done())
		_, err = readOnceOf(t, func() {}, nil, nil, nil)
		require.EqualError(t, err, "lro: func(): json: unsupported type: func()")
		_, err = readOnceOf(t, math.NaN(), nil, nil, nil)
		require.EqualError(t, err, "lro: float64: json: unsupported value: NaN")
	})
}

// A read's error has the HTTP status code that StatusOf finds in the client's error, even if the
// judge wraps that error. Watch does not modify the *StatusError from StatusOf.
func TestWatchStatusOf(t *testing.T) {
	shared := &lroerrors.StatusError{Method: "GET", URL: "https://a.test/vm1", StatusCode: 403, Err: errors.New("cut")}
	for name, statusOf := range map[string]func(error) *lroerrors.StatusError{
		"by type": func(err error) *lroerrors.StatusError {
			if c, ok := err.(coded); ok { //nolint:errorlint // a caller may do this
				return &lroerrors.StatusError{StatusCode: int(c)}
			}
			return nil
		},
		"never nil": func(err error) *lroerrors.StatusError {
			c, _ := err.(coded) //nolint:errorlint // a caller may do this
			return &lroerrors.StatusError{StatusCode: int(c)}
		},
		"shared": func(error) *lroerrors.StatusError { return shared },
	} {
		for judged, judge := range map[string]poller.Judge[*machine]{
			"unchanged": word,
			"wrapped": func(_ *machine, err error) (poller.Status, error) {
				return poller.Status{}, fmt.Errorf("machine: %w", err)
			},
		} {
			t.Run(name+", "+judged, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					_, err := readOnceOf(t, nil, error(coded(403)), judge, &poller.WatchOptions{Name: "vm1", StatusOf: statusOf})
					last, _ := errors.AsType[*lroerrors.StatusError](waitOf(t, err, lroerrors.ReasonRefused).LastErr)
					require.Equal(t, 403, last.StatusCode)
					require.Equal(t, "vm1", last.URL)
					require.ErrorIs(t, err, coded(403), "the error must wrap the client's error")
				})
			})
		}
	}
	require.Equal(t, &lroerrors.StatusError{Method: "GET", URL: "https://a.test/vm1", StatusCode: 403, Err: shared.Err}, shared)
}

// Even with odd options, such as an unknown NotFoundIs, a Watch succeeds only if its reads show
// success.
func TestOddWatchOptions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, odd := range []poller.State{"Ready", "succeeded", "Completed", " Succeeded"} {
			p, err := readOnceOf(t, nil, error(coded(404)), word, &poller.WatchOptions{NotFoundIs: odd})
			require.ErrorIs(t, err, lroerrors.ErrNotFound)
			require.Equal(t, poller.InProgress, p.Status().State)
		}
		p, _ := readOnceOf(t, nil, error(coded(404)), word, &poller.WatchOptions{NotFoundIs: poller.Canceled})
		_, err := p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		p, err = readOnceOf(t, &machine{Word: "Running"}, nil, word, &poller.WatchOptions{Times: -3, Delay: -time.Hour, Timeout: math.MinInt64})
		require.NoError(t, err)
		require.True(t, p.Done())
		p, err = readOnceOf(t, &machine{Word: "Running"}, nil, word, &poller.WatchOptions{Delay: math.MaxInt64})
		require.NoError(t, err)
		require.Equal(t, poller.InProgress, p.Status().State)
		_, err = readOnceOf(t, &machine{Word: "Running"}, nil, word, &poller.WatchOptions{Timeout: math.MaxInt64, Times: math.MaxInt})
		require.NoError(t, err)
	})
}

// Watch ignores the fields that a judge must not set. An unknown State means InProgress.
func TestOddJudges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := poller.Status{State: "succeeded", PercentComplete: new(math.NaN()), Operations: []poller.Status{{}}, StatusCode: 7, RequestID: "r", Unconfirmed: true, ReadErr: errNoIdea}
		p, err := readOnceOf(t, 1, nil, func(int, error) (poller.Status, error) { return st, nil }, &poller.WatchOptions{Times: 3})
		require.NoError(t, err)
		require.Equal(t, poller.Status{State: poller.InProgress, NextPoll: p.NextPoll()}, p.Status())
		_, err = json.Marshal(p.Status())
		require.NoError(t, err)

		for _, state := range []poller.State{poller.Failed, poller.Canceled, poller.Succeeded} {
			p, err = readOnceOf(t, 1, nil, func(int, error) (poller.Status, error) { return poller.Status{State: state}, nil }, &poller.WatchOptions{Times: 3})
			require.NoError(t, err)
			require.Equal(t, state == poller.Succeeded, p.Status().Unconfirmed, "only a success may be unconfirmed")
		}
		p, err = readOnceOf(t, 1, nil, func(int, error) (poller.Status, error) { return poller.Status{State: poller.Succeeded}, errNoIdea }, nil)
		require.ErrorIs(t, err, errNoIdea)
		require.False(t, p.Done())

		for at, pause := range map[time.Duration]time.Duration{-time.Hour: 10 * time.Second, 0: 10 * time.Second, 1000 * time.Hour: 10 * time.Minute} {
			p, err = readOnceOf(t, 1, nil, func(int, error) (poller.Status, error) {
				return poller.Status{NextPoll: time.Now().Add(at)}, nil
			}, nil)
			require.NoError(t, err)
			require.Equal(t, pause, time.Until(p.NextPoll()))
		}
	})
}

// The end of the caller's context does not make a Watch fail, even if the judge returns Failed for
// every error.
func TestCallersContextIsNotFailure(t *testing.T) {
	judge := func(_ *machine, err error) (poller.Status, error) {
		if err != nil {
			return poller.Status{State: poller.Failed}, err
		}
		return poller.Status{State: poller.Succeeded}, nil
	}
	for _, byGroup := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			hang := true
			p := poller.Watch(func(ctx context.Context) (*machine, error) {
				if hang {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &machine{}, nil
			}, judge, nil)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if byGroup {
				for _, err := range groupOf(nil, p).Wait(ctx) {
					requireWait(t, err, lroerrors.ReasonDeadline)
				}
			} else {
				_, err := p.Poll(ctx)
				requireWait(t, err, lroerrors.ReasonDeadline)
			}
			hang = false
			_, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	}
}

// If a getter or a Doer returns context.DeadlineExceeded or context.Canceled although the caller's
// context has not ended, only the read has failed. Its error matches neither of the two.
func TestClientDeadlineIsNotCallers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, own := range []error{context.DeadlineExceeded, context.Canceled} {
			inner := fmt.Errorf("%w: %w", coded(0), own)
			p := poller.Watch(gets(fails(inner)).get, word, &poller.WatchOptions{Name: "vm1"})
			_, err := p.Poll(t.Context())
			require.EqualError(t, err, "lro: vm1: code 0: "+own.Error())
			require.NotErrorIs(t, err, own)
			require.ErrorIs(t, err, coded(0))
			_, err = p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.ReasonPatience)

			q := begin(t, serve(map[string][]reply{"POST " + resource: {accepted}}), "POST", nil)
			again, err := poller.Resume[raw](tokenOf(t, q), doerFunc(func(*http.Request) (*http.Response, error) { return nil, own }), &poller.Options{Origins: []string{origin}})
			require.NoError(t, err)
			_, err = again.Poll(t.Context())
			require.EqualError(t, err, "lro: GET "+origin+monitor+": "+own.Error())
			require.NotErrorIs(t, err, own)
		}
	})
}

// Watch waits for a getter that ignores its context, and then uses its value or an error with a
// status code. For a nil pointer or an error without a code, Watch reports that the read did not
// return in time.
func TestGetterIgnoresContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, tt := range []struct {
			v    *machine
			err  error
			done bool
			text string
		}{
			{&machine{}, nil, false, ""},
			{nil, coded(404), true, ""},
			{nil, nil, false, "lro: vm1: the read did not return within 1m0s, the limit of WatchOptions.Timeout"},
			{nil, coded(500), false, "lro: vm1: 500 Internal Server Error: code 500"},
			{nil, errNoIdea, false, "lro: vm1: the read did not return within 1m0s, the limit of WatchOptions.Timeout"},
		} {
			p := poller.Watch(func(context.Context) (*machine, error) {
				<-time.After(2 * time.Minute)
				return tt.v, tt.err
			}, poller.Gone, &poller.WatchOptions{Name: "vm1"})
			began := time.Now()
			_, err := p.Poll(t.Context())
			require.Equal(t, 2*time.Minute, time.Since(began))
			require.Equal(t, tt.done, p.Done())
			if tt.text != "" {
				require.EqualError(t, err, tt.text)
			}
		}
	})
}

// Watch shows a name such as "o/r#12" in full, because the name is not a URL. It masks credentials
// in a name and keeps the name on one line.
func TestWatchName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, shown := range map[string]string{
			"o/r#12":                    "o/r#12",
			"pull request #12, done?":   "pull request #12, done?",
			"vm1\nlevel=ERROR":          "vm1 level=ERROR",
			"https://a.test?sig=S3CRET": "https://a.test?REDACTED",
		} {
			p, err := readOnceOf(t, nil, error(coded(500)), word, &poller.WatchOptions{Name: name})
			bare := shown
			if name == "https://a.test?sig=S3CRET" {
				bare = "https://a.test"
			}
			require.EqualError(t, err, "lro: "+bare+": 500 Internal Server Error: code 500")
			require.Equal(t, "watch of "+shown+": InProgress; last read: lro: "+bare+": 500 Internal Server Error: code 500", p.String())
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err = p.PollUntilDone(ctx)
			cancel()
			require.ErrorContains(t, err, "lro: stopped waiting for "+bare+" (Deadline): ")
		}
	})
}

// A Watch shows no secret in its errors, log records, String, %+v or JSON, even if a client's
// error, the Name or the judge's Status contains one.
func TestWatchShowsNoSecret(t *testing.T) {
	const secret = `GET https://u:S3CRET@a.test/x?sig=S3CRET with "Bearer S3CRET": /x?S3CRET`
	bubble(t, func(t *testing.T) {
		for _, code := range []int{0, 403, 404, 409, 500} {
			for _, state := range []poller.State{"", poller.Failed, poller.Succeeded} {
				var logged bytes.Buffer
				opts := &poller.WatchOptions{
					Name: secret, NotFoundIs: state, Patience: poller.Patience{Time: -1, Failures: 2},
					Logger: slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
					Cancel: func(context.Context, poller.Status) error { return errors.New(secret) },
				}
				client := fmt.Errorf("%w: %w", coded(code), &url.Error{Op: "Get", URL: "https://u:S3CRET@a.test/x?sig=S3CRET", Err: errors.New(secret)})
				p := poller.Watch(func(context.Context) (*machine, error) { return &machine{Word: secret}, client }, func(m *machine, err error) (poller.Status, error) {
					return poller.Status{State: state, Word: m.Word, ID: secret, Name: secret, Detail: &lroerrors.Detail{Message: secret}}, err
				}, opts)
				values := []any{p, opts, *opts, p.Cancel(t.Context())}
				_, err := p.Poll(t.Context())
				values = append(values, p.Status(), err)
				_, err = p.PollUntilDone(t.Context())
				values = append(values, p, p.Status(), err)
				_, isURL := errors.AsType[*url.Error](err)
				require.False(t, isURL)
				for ; err != nil; err = errors.Unwrap(err) {
					values = append(values, err)
				}
				for _, v := range values {
					text := fmt.Sprintf("%v %+v %s %q", v, v, v, v)
					b, _ := json.Marshal(v)
					require.NotContains(t, text+string(b), "S3CRET", "%T", v)
					slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "v", v)
				}
				require.NotContains(t, logged.String(), "S3CRET")
			}
		}
	})
}

// Several goroutines can use a Watch at once, and two groups can contain the same Watch.
func TestConcurrentWatch(t *testing.T) {
	for _, times := range []int{1, 3} {
		bubble(t, func(t *testing.T) {
			reading, n := false, 0
			var p *poller.Poller[int]
			p = poller.Watch(func(ctx context.Context) (int, error) {
				require.False(t, reading, "only one read may run at a time")
				reading = true
				defer func() { reading = false }()
				select {
				case <-time.After(3 * time.Second):
				case <-ctx.Done():
				}
				p.WakeUp()
				_ = p.String()
				if n++; n%3 == 0 {
					return 0, coded(503)
				}
				return n, ctx.Err()
			}, func(n int, err error) (poller.Status, error) {
				if n < 12 {
					return poller.Status{Word: p.Status().Word + "."}, err
				}
				return poller.Status{State: poller.Succeeded}, err
			}, &poller.WatchOptions{Times: times, Cancel: func(context.Context, poller.Status) error { return nil }})
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					for _, err := range groupOf(nil, p).Wait(t.Context()) {
						require.NoError(t, err)
					}
				})
				all.Go(func() {
					_, err := p.PollUntilDone(t.Context())
					require.NoError(t, err)
				})
				all.Go(func() {
					for _, err := range p.Updates(t.Context()) {
						require.NoError(t, err)
					}
				})
				all.Go(func() {
					for !p.Done() {
						ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
						_, _ = p.Poll(ctx)
						_, err := p.Result(ctx)
						require.Equal(t, p.Done(), err == nil || !errors.Is(err, lroerrors.ErrNotDone) || p.Done())
						cancel()
						_ = p.Cancel(t.Context())
						p.WakeUp()
						_, _, _ = p.NextPoll(), p.URL(), p.String()
						<-time.After(time.Second)
					}
				})
			}
			all.Wait()
			v, err := p.Result(t.Context())
			require.NoError(t, err)
			require.GreaterOrEqual(t, v, 12)
		})
	}
}

// Two groups can contain the same finished Pollers, and each group yields all of them.
func TestFinishedInGroups(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, q := poller.Finished(7, nil), poller.Finished(0, errNoIdea)
		for range 2 {
			require.Equal(t, map[*poller.Poller[int]]error{p: nil, q: errNoIdea}, maps.Collect(groupOf(nil, p, q).Wait(t.Context())))
		}
		require.Equal(t, "watch of int: Succeeded", p.String())
	})
}

// If a Group abandons a read, the logged error contains the Watch's name.
func TestAbandonedReadNamesWatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := poller.NewGroup[*poller.Poller[int]](nil)
		var logged bytes.Buffer
		log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clockTime}))
		for i := range 640 {
			g.Add(poller.Watch(func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }, poller.Found, &poller.WatchOptions{Name: fmt.Sprint("machine %", i), Timeout: -1, Logger: log}))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, err := range g.Wait(ctx) {
			requireWait(t, err, lroerrors.ReasonDeadline)
		}
		require.Contains(t, logged.String(), `error="lro: machine %0: no complete response yet, and other operations of the Group needed the connection"`)
	})
}
