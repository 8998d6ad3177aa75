package transport

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Setting any one field of the Options to its documented default changes nothing.
func TestDefaults(t *testing.T) {
	documented := map[string]any{
		"Retries": 3, "MinDelay": time.Second, "MaxDelay": 30 * time.Second, "MaxRetryAfter": time.Minute, "HeaderTimeout": time.Minute,
	}
	resolved := func(o Options) Options {
		o = o.resolved()
		o.Base, o.Policy = nil, nil // functions cannot be compared
		return o
	}
	of := reflect.TypeFor[Options]()
	for i := range of.NumField() {
		field := of.Field(i)
		want, ok := documented[field.Name]
		isNumber := field.Type.Kind() == reflect.Int || field.Type.Kind() == reflect.Int64
		require.Equal(t, isNumber, ok, field.Name)
		if !ok {
			continue
		}
		var o Options
		reflect.ValueOf(&o).Elem().Field(i).Set(reflect.ValueOf(want))
		require.Equal(t, resolved(Options{}), resolved(o), field.Name)
	}
}

func TestNegativeOptions(t *testing.T) {
	o := Options{Retries: -1, MinDelay: -1, MaxDelay: -1, HeaderTimeout: -1}
	got := o.resolved()
	require.Zero(t, got.Retries)
	require.Zero(t, got.MinDelay)
	require.Equal(t, time.Duration(math.MaxInt64/2), got.MaxDelay)
	require.Equal(t, time.Duration(math.MaxInt64/2), got.HeaderTimeout)
}
