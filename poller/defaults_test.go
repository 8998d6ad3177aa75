package poller

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/check"
)

// documented maps each options struct to the documented defaults of its fields. A field that is
// missing has no other default than its zero value.
var documented = map[reflect.Type]map[string]any{
	reflect.TypeFor[Options](): {
		"Strategy": arm.Auto, "MaxStatusBytes": int64(4 << 20), "MaxResultBytes": int64(64 << 20), "ResponseTimeout": 5 * time.Minute,
	},
	reflect.TypeFor[Cadence]():      {"First": time.Duration(-1), "Default": time.Minute, "Min": 10 * time.Second, "Max": 10 * time.Minute},
	reflect.TypeFor[Patience]():     {"Time": 30 * time.Minute, "Failures": 5, "Throttled": 24 * time.Hour},
	reflect.TypeFor[WatchOptions](): {"Name": "a name", "Delay": time.Duration(-1), "Times": 1, "Timeout": time.Minute},
	reflect.TypeFor[check.Check]():  {"Times": 1, "Delay": time.Duration(-1), "After": time.Duration(-1)},
}

// each calls f with a T in which one field has its documented default, for each field.
func each[T any](t *testing.T, f func(name string, opts T)) {
	t.Helper()
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		field := of.Field(i)
		want, ok := documented[of][field.Name]
		switch field.Type.Kind() {
		case reflect.Int, reflect.Int64:
			require.True(t, ok, "%s.%s has no documented default", of, field.Name)
		}
		if !ok {
			continue
		}
		var opts T
		reflect.ValueOf(&opts).Elem().Field(i).Set(reflect.ValueOf(want))
		f(of.Name()+"."+field.Name, opts)
	}
}

// Setting any one field of any options to its documented default changes nothing.
func TestDefaults(t *testing.T) {
	resolved := func(o Options) engine.Settings {
		s, err := o.settings()
		require.NoError(t, err)
		return *s
	}
	zero := resolved(Options{})
	each(t, func(name string, o Options) { require.Equal(t, zero, resolved(o), name) })
	each(t, func(name string, c Cadence) { require.Equal(t, Cadence{}.rules(), c.rules(), name) })
	each(t, func(name string, p Patience) { require.Equal(t, Patience{}.rules(), p.rules(), name) })
	each(t, func(name string, c Check) {
		require.Equal(t, check.Confirm(arm.Auto, Check{}), check.Confirm(arm.Auto, c), name)
		require.Equal(t, check.CrossCheck(arm.Auto, Check{}), check.CrossCheck(arm.Auto, c), name)
	})
	filled := func(o WatchOptions) WatchOptions {
		o.fillIn("a name")
		o.StatusOf = nil // functions cannot be compared
		return o
	}
	each(t, func(name string, o WatchOptions) { require.Equal(t, filled(WatchOptions{}), filled(o), name) })
	unset, set := WatchOptions{}, WatchOptions{Patience: Patience{Time: 30 * time.Minute}}
	require.Equal(t, unset.rules(), set.rules())
}

// Patience{Failures: 5} is documented as the default. It once made a wait give up after four minutes
// and a half, because a field that is not set was taken literally.
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
