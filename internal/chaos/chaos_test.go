package chaos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Over an unreliable network, each operation ends exactly once, as its service decided. Afterward,
// no response body, connection or goroutine is left.
func TestChaos(t *testing.T) {
	seed, before, start := newSeed(t), goroutines(nil), time.Now()
	n := *opsFlag
	f, err := newFront(newWorld(seed, n), seed, n, 2*n, 3*n, 4*n)
	require.NoError(t, err)
	f.serve()
	bodies := newTracker()
	crowd := newCrowd(f.url(), clients(bodies), f.tally)
	ctx, cancel := context.WithTimeout(t.Context(), *limit)
	defer cancel()
	crowd.follow(ctx, f.world.operations)
	complaints := judge(f, crowd.seen)
	requireNoLeaks(t, f, bodies, before)
	f.tally.add("operations", n)
	f.tally.add("response bodies", bodies.all)
	t.Log(figures(f.tally, start))
	require.Empty(t, strings.Join(complaints, "\n"))
	require.Zero(t, f.tally.counted("requests without an operation"))
	require.Positive(t, f.tally.of("restart"))
}

func figures(t *tally, start time.Time) string {
	return fmt.Sprintf("in %s\n%s", time.Since(start).Round(time.Millisecond), t)
}
