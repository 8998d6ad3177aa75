package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// WakeUp causes at most one early read per Cadence.Min, however often it is called.
func TestWakeUpIsRateLimited(t *testing.T) {
	for _, byGroup := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			s := fleet(map[string][]reply{"a": append(repeat("202\nRetry-After: 600", 7), "200 1")})
			a := follow(t, s, "a", nil)
			go func() {
				for range 6000 {
					a.WakeUp()
					time.Sleep(10 * time.Millisecond)
				}
			}()
			if byGroup {
				require.Equal(t, []string{"a 11m0s"}, endsOf(wait(t.Context(), groupOf(nil, a))))
			} else {
				_, err := a.PollUntilDone(t.Context())
				require.NoError(t, err)
			}
			require.Equal(t, []time.Duration{
				0, 0, 10 * time.Second, 20 * time.Second, 30 * time.Second, 40 * time.Second, 50 * time.Second, time.Minute, 11 * time.Minute,
			}, s.times())
		})
	}
}

// After a read that fails or is throttled, WakeUp shortens the poller's own pause, but not a
// Retry-After.
func TestWakeUpHonorsRetryAfterOfFailure(t *testing.T) {
	for failure, want := range map[reply]time.Duration{
		"429\nRetry-After: 300": 5 * time.Minute, "503\nRetry-After: 300": 5 * time.Minute, "500\nRetry-After: 300": 5 * time.Minute,
		"500": time.Second, "drop": time.Second,
	} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {failure, "200 {}"}})
			p := begin(t, s, "POST", nil)
			time.AfterFunc(time.Minute+time.Second, p.WakeUp)
			_, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Equal(t, time.Minute+want, time.Since(s.began), failure)
		})
	}
}

// With Cadence.First, the pauses start short and grow. A resumed poller continues with the next
// longer pause.
func TestFirstPausesGrow(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		cadence poller.Cadence
		script  []reply
		want    []time.Duration
	}{
		"growing":            {poller.Cadence{First: s, Min: s}, nil, []time.Duration{s, 3 * s, 7 * s, 15 * s, 31 * s, 63 * s, 123 * s, 183 * s}},
		"no lower bound":     {poller.Cadence{First: s}, nil, []time.Duration{s, 3 * s, 7 * s}},
		"a lower bound":      {poller.Cadence{First: s, Min: 5 * s}, nil, []time.Duration{5 * s, 10 * s, 15 * s, 23 * s}},
		"up to Default":      {poller.Cadence{First: 2 * s, Default: 5 * s}, nil, []time.Duration{2 * s, 6 * s, 11 * s, 16 * s}},
		"over Default":       {poller.Cadence{First: 20 * s, Default: 5 * s}, nil, []time.Duration{5 * s, 10 * s, 15 * s}},
		"a short Default":    {poller.Cadence{Default: 3 * s}, nil, []time.Duration{3 * s, 6 * s, 9 * s}},
		"neither":            {poller.Cadence{First: -1}, nil, []time.Duration{60 * s, 120 * s}},
		"the service's wins": {poller.Cadence{First: s}, []reply{"202\nRetry-After: 30", "202"}, []time.Duration{s, 31 * s, 61 * s}},
		"Min for a failure":  {poller.Cadence{First: s}, []reply{"500", "500", "202"}, []time.Duration{s, 2 * s, 4 * s, 6 * s, 10 * s}},
	} {
		for _, resumed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					if tt.script == nil {
						tt.script = []reply{"202"}
					}
					svc := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): tt.script})
					opts := &poller.Options{Cadence: tt.cadence, Origins: []string{origin}}
					p := begin(t, svc, "POST", opts)
					for range tt.want {
						time.Sleep(time.Until(p.NextPoll()))
						if resumed {
							p = again(t, p, svc, opts)
						}
						if _, err := p.Poll(t.Context()); err != nil {
							require.IsType(t, &lroerrors.StatusError{}, err)
						}
					}
					require.Equal(t, tt.want, svc.times()[1:])
				})
			})
		}
	}
}
