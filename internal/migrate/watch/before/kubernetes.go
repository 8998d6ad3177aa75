package before

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/lro-go/lro/internal/migrate/watch/machines"
)

// PollRunning waits until a machine is running, with the helper that Kubernetes controllers and
// their tests use.
func PollRunning(ctx context.Context, c machines.Client, name string) (m *machines.Machine, err error) {
	err = wait.PollUntilContextTimeout(ctx, 10*time.Second, 30*time.Minute, true, func(ctx context.Context) (bool, error) {
		var failed error
		if m, failed = c.Get(ctx, name); failed != nil {
			return false, nil // retry after any error
		}
		return m.State == "Running", nil
	})
	return m, err
}
