package pager

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
		"Items": "/value", "MaxPages": -1, "ReadAhead": -1, "MaxPageBytes": int64(64 << 20), "ResponseTimeout": 5 * time.Minute,
	}
	resolved := func(o Options) settings {
		s, err := resolve(&o)
		require.NoError(t, err)
		s.MaxPages = max(s.MaxPages, 0) // used only after a comparison with 0
		s.ReadAhead = max(s.ReadAhead, 0)
		return s
	}
	of := reflect.TypeFor[Options]()
	for i := range of.NumField() {
		field := of.Field(i)
		want, ok := documented[field.Name]
		switch field.Type.Kind() {
		case reflect.Int, reflect.Int64:
			require.True(t, ok, field.Name)
		}
		if !ok {
			continue
		}
		var o Options
		reflect.ValueOf(&o).Elem().Field(i).Set(reflect.ValueOf(want))
		require.Equal(t, resolved(Options{}), resolved(o), field.Name)
	}
	none := resolved(Options{MaxPageBytes: -1})
	require.Equal(t, int64(math.MaxInt64), none.limit.Bytes)
}
