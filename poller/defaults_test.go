package poller

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/house"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/check"
)

// Setting an option to its documented default has the same effect as leaving it unset.
func TestDefaults(t *testing.T) {
	resolved := func(o Options) engine.Settings {
		s, err := o.settings()
		require.NoError(t, err)
		return *s
	}
	zero := resolved(Options{})
	house.EachDefault(t, ".", func(name string, o *Options) { require.Equal(t, zero, resolved(*o), name) })
	require.Equal(t, zero, resolved(Options{Strategy: arm.Auto}))
	house.EachDefault(t, ".", func(name string, c *Cadence) { require.Equal(t, Cadence{}.rules(), c.rules(), name) })
	house.EachDefault(t, ".", func(name string, p *Patience) { require.Equal(t, Patience{}.rules(), p.rules(), name) })
	house.EachDefault(t, "check", func(name string, c *Check) {
		require.Equal(t, check.Confirm(arm.Auto, Check{}), check.Confirm(arm.Auto, *c), name)
		require.Equal(t, check.CrossCheck(arm.Auto, Check{}), check.CrossCheck(arm.Auto, *c), name)
	})
	scheduled := func(o GroupOptions) string {
		s := reflect.ValueOf(newScheduler(o)).Elem()
		return fmt.Sprint(s.FieldByName("options"), s.FieldByName("elastic"))
	}
	house.EachDefault(t, ".", func(name string, o *GroupOptions) { require.Equal(t, scheduled(GroupOptions{}), scheduled(*o), name) })
}

func TestDefaultsOfWatch(t *testing.T) {
	filled := func(o WatchOptions) WatchOptions {
		o.fillIn("a name")
		o.StatusOf = nil // functions cannot be compared
		return o
	}
	zero := filled(WatchOptions{})
	house.EachDefault(t, ".", func(name string, o *WatchOptions) { require.Equal(t, zero, filled(*o), name) })
	require.Equal(t, zero, filled(WatchOptions{Name: "a name"}))
	unset := WatchOptions{}
	set := WatchOptions{Patience: Patience{Time: 30 * time.Minute}}
	require.Equal(t, unset.rules(), set.rules())
}

// An unset field gets its default, even if another field is set. Some defaults depend on other
// fields.
func TestDefaultsByField(t *testing.T) {
	const half, day = 30 * time.Minute, 24 * time.Hour
	require.Equal(t, record.Patience{Time: half, Failures: 3, Throttled: day}, Patience{Failures: 3}.rules())
	require.Equal(t, record.Patience{Time: time.Hour, Failures: 5, Throttled: day}, Patience{Time: time.Hour}.rules())
	require.Equal(t, record.Patience{Failures: 1, Throttled: day}, Patience{Time: -1}.rules())
	require.Equal(t, record.Patience{Failures: 3, Throttled: day}, Patience{Time: -1, Failures: 3}.rules())
	require.Equal(t, record.Patience{Time: half, Throttled: day}, Patience{Failures: -1}.rules())
	require.Equal(t, record.Patience{Time: half, Failures: 5, Throttled: time.Hour}, Patience{Throttled: time.Hour}.rules())
	require.Equal(t, record.Patience{Time: half, Failures: 5, Throttled: math.MaxInt64 / 2}, Patience{Throttled: -1}.rules())
	s := time.Second
	for c, want := range map[Cadence]record.Cadence{
		{}:                        {Default: 60 * s, Min: 10 * s, Max: 600 * s},
		{First: s}:                {First: s, Default: 60 * s, Min: s, Max: 600 * s},
		{Default: 2 * s}:          {Default: 2 * s, Min: 2 * s, Max: 600 * s},
		{Default: -1}:             {Default: 10 * s, Min: 10 * s, Max: 600 * s},
		{Default: 2 * s, Min: -1}: {Default: 2 * s, Max: 600 * s},
		{Min: time.Hour}:          {Default: 60 * s, Min: time.Hour, Max: time.Hour},
		{Max: -1}:                 {Default: 60 * s, Min: 10 * s, Max: math.MaxInt64 / 2},
	} {
		require.Equal(t, want, c.rules(), "%+v", c)
	}
	none, err := (&Options{MaxStatusBytes: -1, MaxResultBytes: -1, ResponseTimeout: -1}).settings()
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64/2), none.StatusLimit.Bytes)
	require.Equal(t, int64(math.MaxInt64/2), none.ResultLimit.Bytes)
	require.Negative(t, none.ResultLimit.Time)
}
