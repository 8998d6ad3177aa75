package poller_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A machine is an object that a typed client returns.
type machine struct {
	Word  string
	Code  string
	Ready int
}

// A getting holds the values that one call to a getter returns.
type getting struct {
	v   *machine
	err error
}

// A getter returns its readings in order, repeats the last one forever, and records when it was
// called.
type getter struct {
	readings []getting
	began    time.Time
	at       []time.Duration
}

func gets(readings ...getting) *getter { return &getter{readings: readings, began: time.Now()} }

func (g *getter) get(context.Context) (*machine, error) {
	r := g.readings[min(len(g.at), len(g.readings)-1)]
	g.at = append(g.at, time.Since(g.began))
	return r.v, r.err
}

func is(word string) getting { return getting{v: &machine{Word: word}} }

func fails(err error) getting { return getting{err: err} }

func times(n int, r getting) []getting {
	list := make([]getting, n)
	for i := range list {
		list[i] = r
	}
	return list
}

// coded is a client's error with an HTTP status code.
type coded int

func (c coded) Error() string       { return fmt.Sprint("code ", int(c)) }
func (c coded) HTTPStatusCode() int { return int(c) }

// hurried is a client's error with an HTTP status code and a Retry-After.
type hurried struct{ coded }

func (hurried) RetryAfter() time.Duration { return 90 * time.Second }

var (
	word      = poller.Words(func(m *machine) string { return m.Word }, map[string]poller.State{"Running": poller.Succeeded, "Broken": poller.Failed})
	isReady   = poller.Until(func(m *machine) bool { return m.Ready > 0 })
	quickly   = poller.Cadence{First: time.Second}
	errNoIdea = errors.New("no idea")
)

func TestWatch(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		judge    poller.Judge[*machine]
		opts     poller.WatchOptions
		readings []getting
		at       []time.Duration
		err      string // "" means that the watch succeeds
	}{
		"at once":      {word, poller.WatchOptions{}, []getting{is("running")}, []time.Duration{0}, ""},
		"our own pace": {word, poller.WatchOptions{}, []getting{is("a"), is("b"), is("Running")}, []time.Duration{0, 60 * s, 120 * s}, ""},
		"growing":      {word, poller.WatchOptions{Cadence: quickly}, []getting{is("a"), is("a"), is("a"), is("a"), is("Running")}, []time.Duration{0, s, 3 * s, 7 * s, 15 * s}, ""},
		"delayed":      {word, poller.WatchOptions{Delay: 7 * s}, []getting{is("Running")}, []time.Duration{7 * s}, ""},
		"usual word":   {word, poller.WatchOptions{}, []getting{is("Succeeded")}, []time.Duration{0}, ""},
		"failed":       {word, poller.WatchOptions{Name: "vm1"}, []getting{is("Broken")}, []time.Duration{0}, `lro: vm1 Failed ("Broken")`},
		"until":        {isReady, poller.WatchOptions{}, []getting{is("x"), {v: &machine{Ready: 1}}}, []time.Duration{0, 60 * s}, ""},
		"found":        {poller.Found[*machine], poller.WatchOptions{}, []getting{fails(coded(404)), {}, is("x")}, []time.Duration{0, 60 * s, 120 * s}, ""},
		"gone":         {poller.Gone[*machine], poller.WatchOptions{}, []getting{is("x"), fails(coded(500)), fails(coded(410))}, []time.Duration{0, 60 * s, 70 * s}, ""},
		"gone, nil":    {poller.Gone[*machine], poller.WatchOptions{}, []getting{is("x"), {}}, []time.Duration{0, 60 * s}, ""},
		"gone, a file": {poller.Gone[*machine], poller.WatchOptions{}, []getting{is("x"), fails(fs.ErrNotExist)}, []time.Duration{0, 60 * s}, ""},
		"not found is failure": {
			word,
			poller.WatchOptions{Name: "vm1", NotFoundIs: poller.Failed},
			[]getting{is("x"), fails(coded(404))},
			[]time.Duration{0, 60 * s},
			"lro: vm1 Failed: vm1: 404 Not Found: code 404",
		},
		"not found is success": {word, poller.WatchOptions{NotFoundIs: poller.Succeeded}, []getting{is("Running"), is("Running"), fails(coded(404))}, []time.Duration{0, 60 * s, 120 * s}, ""},
		"but failed": {
			word, poller.WatchOptions{Name: "vm1", NotFoundIs: poller.Succeeded}, []getting{is("Running"), is("Broken")}, []time.Duration{0, 60 * s}, `lro: vm1 Failed ("Broken")`,
		},
		"not found is not yet": {word, poller.WatchOptions{NotFoundIs: poller.InProgress}, append(times(9, fails(coded(404))), is("Running")), []time.Duration{0, 60 * s, 120 * s, 180 * s, 240 * s, 300 * s, 360 * s, 420 * s, 480 * s, 540 * s}, ""},
		"three in a row": {
			word,
			poller.WatchOptions{Times: 3, Cadence: quickly},
			[]getting{is("Running"), is("a"), is("Running"), is("Broken"), is("Running"), fails(coded(500)), is("Running"), is("Running")},
			[]time.Duration{0, s, 3 * s, 7 * s, 15 * s, 31 * s, 32 * s, 64 * s},
			"",
		},
		"a client's Retry-After": {word, poller.WatchOptions{}, []getting{fails(hurried{429}), fails(hurried{500}), is("Running")}, []time.Duration{0, 90 * s, 180 * s}, ""},
		"forbidden": {
			word,
			poller.WatchOptions{Name: "vm1"},
			[]getting{is("x"), fails(coded(403))},
			[]time.Duration{0, 60 * s},
			`lro: stopped waiting for vm1 (Refused): a read of its status was refused; operation last known InProgress ("x") after 2 polls in 1m0s: 403 Forbidden: code 403`,
		},
		"without a code, for five minutes": {
			word,
			poller.WatchOptions{Name: "vm1"},
			[]getting{fails(errNoIdea)},
			[]time.Duration{0, 10 * s, 30 * s, 70 * s, 150 * s, 310 * s},
			`lro: stopped waiting for vm1 (Patience): its status could not be read for too long; operation last known InProgress after 6 polls in 5m10s: no idea`,
		},
		"without a code, and patience": {word, poller.WatchOptions{Patience: poller.Patience{Time: time.Hour, Failures: -1}}, append(times(7, fails(errNoIdea)), is("Running")), []time.Duration{0, 10 * s, 30 * s, 70 * s, 150 * s, 310 * s, 630 * s, 1230 * s}, ""},
		"the grace of a 404": {
			word,
			poller.WatchOptions{Name: "vm1"},
			[]getting{fails(coded(404))},
			[]time.Duration{0, 10 * s, 30 * s, 70 * s, 150 * s, 310 * s},
			`lro: stopped waiting for vm1 (Gone): its status is gone: the operation has expired, or this identity cannot see it; operation last known InProgress after 6 polls in 5m10s: 404 Not Found: code 404`,
		},
		"a judge's failed read": {
			func(m *machine, err error) (poller.Status, error) {
				if m.Word == "" {
					return poller.Status{}, errNoIdea
				}
				return poller.Status{State: poller.Succeeded}, nil
			}, poller.WatchOptions{}, []getting{is(""), is("x")}, []time.Duration{0, 10 * s}, "",
		},
		"the pause of a judge": {
			func(m *machine, err error) (poller.Status, error) {
				if m.Word == "" {
					return poller.Status{NextPoll: time.Now().Add(25 * s)}, nil
				}
				return poller.Status{State: poller.Succeeded}, nil
			}, poller.WatchOptions{}, []getting{is(""), is(""), is("x")}, []time.Duration{0, 25 * s, 50 * s}, "",
		},
	} {
		for _, byGroup := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					g := gets(tt.readings...)
					p := poller.Watch(g.get, tt.judge, &tt.opts)
					var v *machine
					var err error
					if byGroup {
						for op, ended := range groupOf(nil, p).Wait(t.Context()) {
							if v, err = op.Result(t.Context()); ended != nil {
								err = ended
							}
						}
					} else {
						v, err = p.PollUntilDone(t.Context())
					}
					require.Equal(t, tt.at, g.at)
					if tt.err != "" {
						require.EqualError(t, err, tt.err)
						return
					}
					require.NoError(t, err)
					require.Equal(t, tt.readings[min(len(g.at), len(tt.readings))-1].v, v)
					require.True(t, p.Done())
					require.Zero(t, p.NextPoll())
				})
			})
		}
	}
}

// If a watch fails, the error wraps the judge's reason. If a read finds nothing, the error matches
// ErrNotFound.
func TestWatchReasons(t *testing.T) {
	bubble(t, func(t *testing.T) {
		why := &lroerrors.Detail{Code: "SkuNotAvailable", Message: "none left"}
		judge := word.WithReason(func(m *machine) error { return why })
		p := poller.Watch(gets(is("Broken")).get, judge, &poller.WatchOptions{Name: "vm1"})
		_, err := p.PollUntilDone(t.Context())
		require.EqualError(t, err, `lro: vm1 Failed ("Broken"): SkuNotAvailable: none left`)
		require.ErrorIs(t, err, why)
		require.IsType(t, &lroerrors.OperationError{}, err)

		_, err = poller.Watch(gets(fails(coded(410))).get, word, &poller.WatchOptions{NotFoundIs: poller.Failed}).PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotFound)
		require.ErrorIs(t, err, coded(410))
		_, err = poller.Watch(gets(fails(coded(404))).get, word, nil).Poll(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotFound)
		_, err = poller.Watch(gets(fails(coded(403))).get, word, nil).Poll(t.Context())
		require.NotErrorIs(t, err, lroerrors.ErrNotFound)
	})
}

// Without a judge, Watch reads the value's provisioningState. If NotFoundIs is Succeeded, a
// provisioningState of Succeeded means that the resource has not been deleted yet.
func TestWatchWithoutJudge(t *testing.T) {
	type properties struct {
		ProvisioningState string `json:"provisioningState,omitempty"`
	}
	type resource struct {
		Properties properties `json:"properties"`
	}
	bubble(t, func(t *testing.T) {
		words, n := []string{"Updating", "Succeeded"}, 0
		get := func(context.Context) (resource, error) { n++; return resource{properties{words[n-1]}}, nil }
		v, err := poller.Watch(get, nil, nil).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "Succeeded", v.Properties.ProvisioningState)

		_, err = poller.Watch(func(context.Context) (resource, error) { return resource{}, nil }, nil, nil).Poll(t.Context())
		require.ErrorContains(t, err, "the value has no provisioningState")

		n = 0
		gone := func(context.Context) (*resource, error) {
			if n++; n < 4 {
				return &resource{properties{"Succeeded"}}, nil
			}
			return nil, coded(404)
		}
		began := time.Now()
		_, err = poller.Watch(gone, nil, &poller.WatchOptions{NotFoundIs: poller.Succeeded}).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3*time.Minute, time.Since(began))
	})
}

// A Watch's name appears in its errors, log records and String.
func TestWatchTexts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		opts := &poller.WatchOptions{Name: "vm1", Times: 3, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clockTime}))}
		p := poller.Watch(gets(is("2 of 3"), is("Running")).get, word, opts)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, `watch of vm1: InProgress "2 of 3"`, p.String())
		require.Equal(t, "time=00:00:00 level=DEBUG msg=\"lro: poll\" name=vm1 state=InProgress word=\"2 of 3\" status=0 next=00:01:00\n", log.String())
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.InProgress, st.State)
		require.True(t, st.Unconfirmed)
		require.Empty(t, p.URL())
		require.Empty(t, p.ResultURL())
		_, err = p.ResumeToken()
		require.ErrorIs(t, err, errors.ErrUnsupported)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = p.PollUntilDone(ctx)
		require.ErrorContains(t, err, "lro: stopped waiting for vm1 (Deadline): ")
		_, err = waitOf(t, err, lroerrors.ReasonDeadline).ResumeToken()
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.Equal(t, "watch of int: InProgress", poller.Watch(func(context.Context) (int, error) { return 1, nil }, poller.Found, nil).String())
	})
}

// If a getter hangs, the read fails after Timeout. Its error does not match
// context.DeadlineExceeded.
func TestGetterHangs(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: time.Minute, time.Second: time.Second, -1: 10 * time.Minute} {
		bubble(t, func(t *testing.T) {
			get := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
			p := poller.Watch(get, poller.Found, &poller.WatchOptions{Name: "vm1", Timeout: limit})
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			_, err := p.Poll(ctx)
			require.Equal(t, want, time.Since(began))
			if limit < 0 {
				requireWait(t, err, lroerrors.ReasonDeadline)
				return
			}
			require.EqualError(t, err, fmt.Sprintf("lro: vm1: the read did not return within %s, the limit of WatchOptions.Timeout", want))
			require.NotErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

// A getter's context ends when the getter returns, even if Timeout sets no limit.
func TestContextOfGetterEnds(t *testing.T) {
	for _, limit := range []time.Duration{0, -1} {
		bubble(t, func(t *testing.T) {
			var ctx context.Context
			get := func(c context.Context) (int, error) { ctx = c; return 1, c.Err() }
			p := poller.Watch(get, poller.Until(func(int) bool { return false }), &poller.WatchOptions{Timeout: limit})
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			require.NoError(t, t.Context().Err())
		})
	}
}

// Even if hundreds of getters hang, a group calls a healthy getter within 15 s of the start of the
// wait. Each later call comes at most 1 s after it is due.
func TestHangingGettersDoNotStarveOthers(t *testing.T) {
	for _, hanging := range []int{64, 640} {
		bubble(t, func(t *testing.T) {
			g := poller.NewGroup[*poller.Poller[*machine]](nil)
			for range hanging {
				g.Add(poller.Watch(func(ctx context.Context) (*machine, error) { <-ctx.Done(); return nil, ctx.Err() }, word, nil))
			}
			healthy := gets(append(times(6, is("x")), is("Running"))...)
			p := poller.Watch(healthy.get, word, &poller.WatchOptions{Cadence: poller.Cadence{Default: 10 * time.Second}})
			g.Add(p)
			for op, err := range g.Wait(t.Context()) {
				require.Same(t, p, op)
				require.NoError(t, err)
				break
			}
			require.LessOrEqual(t, healthy.at[0], 15*time.Second)
			for i := range 6 {
				require.LessOrEqual(t, healthy.at[i+1]-healthy.at[i], 11*time.Second)
			}
		})
	}
}
