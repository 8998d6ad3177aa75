//go:build !race

package errors_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
)

// The memory needed to format an error depends on the length of its text, not on how much the
// service sent.
func TestTextOfManyDetails(t *testing.T) {
	words := strings.Repeat("https://u:p@a.test/x?sig=1 token: x2 ", 130) // about 1,400 details repeat this text, 10 MiB in total
	level := []detail{{Message: words}}
	for count := 1; count < 900; {
		next := make([]detail, 5)
		for i := range next {
			next[i] = detail{Message: words, Target: words, Details: level}
		}
		level, count = next, 5*count+5
	}
	for name, d := range map[string]*detail{
		"wide and deep": {Details: level},
		"without words": {Details: []detail{{Details: level}}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := (&lroerrors.StatusError{Detail: d}).Error()
		runtime.ReadMemStats(&after)
		requireText(t, text, 4000)
		require.Contains(t, text, "https://a.test/x?REDACTED token: REDACTED")
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
	}
}
