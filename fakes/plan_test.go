package fakes

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Plan.engine copies every field except Method, Path and Times, which select operations.
func TestPlanEngine(t *testing.T) {
	why := Error{Code: "c", Message: "m", Target: "t", Details: []Error{{Code: "d", Message: "n"}}}
	p := Plan{
		Method: "PUT", Path: "/w", Times: 1,
		Style: Location, StatusCode: 299, Polls: 3, Duration: time.Hour, Words: []string{"w"}, Percent: true,
		RetryAfter: time.Minute, RetryAfterDate: true, Ending: Failed, EndWord: "e", Error: why, FailureCode: 499,
		Result: "r", Operations: []Nested{{Name: "n", Status: "s", Error: &why}},
	}
	from, to := reflect.ValueOf(p), reflect.ValueOf(p.engine())
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		require.False(t, from.Field(i).IsZero(), "%s is not part of the test", name)
		if name == "Method" || name == "Path" || name == "Times" {
			continue
		}
		want, err := json.Marshal(from.Field(i).Interface())
		require.NoError(t, err)
		got, err := json.Marshal(to.FieldByName(name).Interface())
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), name)
	}
}
