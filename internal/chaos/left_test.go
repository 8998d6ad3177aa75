package chaos

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireNoLeaks stops the front and asserts that no response body, connection or goroutine is
// left.
func requireNoLeaks(t *testing.T, f *front, bodies *tracker, before map[string]bool) {
	t.Helper()
	require.Empty(t, bodies.left(), "response bodies that are not closed")
	bodies.base.CloseIdleConnections()
	empty := f.listener.empty
	f.listener.Close()
	select {
	case <-empty:
	case <-time.After(time.Minute):
		require.Fail(t, "connections are still open", "%d", len(f.listener.conns))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, f.server.Shutdown(ctx))
	require.Eventually(t, func() bool { return len(goroutines(before)) == 0 }, time.Minute, 10*time.Millisecond)
	require.Empty(t, goroutines(before))
}

// goroutines returns the names, such as "goroutine 7", of the goroutines that run code of this
// module or of net/http. It omits the names in its argument, the test goroutines and its own.
func goroutines(before map[string]bool) map[string]bool {
	buf := make([]byte, 16<<20)
	left := map[string]bool{}
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		head, _, _ := strings.Cut(stack, "\n")
		id, _, _ := strings.Cut(head, " [")
		ours := strings.Contains(stack, "lro-go/lro") || strings.Contains(stack, "net/http")
		if ours && !before[id] && !strings.Contains(stack, "chaos.goroutines") && !strings.Contains(stack, "testing.tRunner(") {
			left[id] = true
		}
	}
	return left
}
