//go:build unix

package lrotf_test

import (
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// SIGTERM ends the wait, like Ctrl-C, and does not kill the process. The test runs in real time,
// because signals do not reach a testing/synctest bubble.
func TestTerminated(t *testing.T) {
	r := newRig(t, fakes.Plan{Duration: fakes.Forever})
	r.c.options.Cadence = poller.Cadence{Default: 5 * time.Millisecond, Min: 5 * time.Millisecond}
	r.svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			next.ServeHTTP(w, req)
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		})
	}})
	result, _ := r.apply(w1(1))
	require.False(t, result.Failed(), "%s", texts(result))
	require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
	require.Contains(t, r.Private(), `"lro"`)
	require.False(t, r.Tainted())
}
