// Package before shows how to wait with helpers from other modules.
package before

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"

	"github.com/lro-go/lro/internal/migrate/watch/machines"
)

// WaitRunning waits until a machine is running, with the helper that Terraform providers use.
func WaitRunning(ctx context.Context, c machines.Client, name string) (*machines.Machine, error) {
	conf := &retry.StateChangeConf{
		Pending: []string{"Creating", "Booting"},
		Target:  []string{"Running"},
		Refresh: func() (any, string, error) {
			m, err := c.Get(ctx, name)
			if isNotFound(err) {
				return nil, "", nil
			}
			if err != nil {
				return nil, "", err
			}
			return m, m.State, nil
		},
		Delay:                     30 * time.Second,
		MinTimeout:                time.Second,
		Timeout:                   30 * time.Minute,
		ContinuousTargetOccurence: 3,
	}
	v, err := conf.WaitForStateContext(ctx)
	if err != nil {
		return nil, err
	}
	return v.(*machines.Machine), nil
}

// WaitGone waits until a machine is gone.
func WaitGone(ctx context.Context, c machines.Client, name string) error {
	conf := &retry.StateChangeConf{
		Pending: []string{"Running", "Deleting"},
		Refresh: func() (any, string, error) {
			m, err := c.Get(ctx, name)
			if isNotFound(err) {
				return nil, "", nil
			}
			if err != nil {
				return nil, "", err
			}
			return m, m.State, nil
		},
		PollInterval: 10 * time.Second,
		Timeout:      30 * time.Minute,
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}

func isNotFound(err error) bool {
	refused, ok := errors.AsType[*machines.Error](err)
	return ok && refused.Code == http.StatusNotFound
}
