package after

import (
	"context"
	"time"

	"github.com/lro-go/lro/internal/migrate/watch/machines"
	"github.com/lro-go/lro/poller"
)

// PollRunning waits until a machine is running.
func PollRunning(ctx context.Context, c machines.Client, name string) (*machines.Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	get := func(ctx context.Context) (*machines.Machine, error) { return c.Get(ctx, name) }
	return poller.Watch(get, poller.Until(func(m *machines.Machine) bool {
		return m.State == "Running"
	}), &poller.WatchOptions{
		Name:    name,
		Cadence: poller.Cadence{Default: 10 * time.Second},
	}).PollUntilDone(ctx)
}
