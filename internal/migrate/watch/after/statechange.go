// Package after shows how to wait with poller.Watch.
package after

import (
	"context"
	"time"

	"github.com/lro-go/lro/internal/migrate/watch/machines"
	"github.com/lro-go/lro/poller"
)

// WaitRunning waits until a machine is running.
func WaitRunning(ctx context.Context, c machines.Client, name string) (*machines.Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	get := func(ctx context.Context) (*machines.Machine, error) { return c.Get(ctx, name) }
	return poller.Watch(get, poller.Words(machines.State, map[string]poller.State{
		"Creating": poller.InProgress,
		"Booting":  poller.InProgress,
		"Running":  poller.Succeeded,
		"*":        poller.Failed, // any other word is an error, as in a StateChangeConf that sets Pending
	}), &poller.WatchOptions{
		Name:    name,
		Delay:   30 * time.Second,
		Cadence: poller.Cadence{First: time.Second, Default: 10 * time.Second},
		Times:   3,
	}).PollUntilDone(ctx)
}

// WaitGone waits until a machine is gone.
func WaitGone(ctx context.Context, c machines.Client, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	get := func(ctx context.Context) (*machines.Machine, error) { return c.Get(ctx, name) }
	_, err := poller.Watch(get, poller.Gone, &poller.WatchOptions{
		Name:    name,
		Cadence: poller.Cadence{Default: 10 * time.Second},
	}).PollUntilDone(ctx)
	return err
}
