package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	lroerrors "github.com/lro-go/lro/errors"
)

// begin starts an operation and waits for it to end.
//
// Canceling ctx does not interrupt the request that starts the operation, because its response is
// needed to find the operation. A second Ctrl-C exits at once.
func (c *command) begin(ctx context.Context) error {
	req, err := c.flags.Request(context.WithoutCancel(ctx), strings.ToUpper(c.name), c.stdin)
	if err != nil {
		return output.UsageError{Err: err}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // nothing was sent
	}
	p, err := c.send(ctx, req)
	return c.follow(ctx, p, err)
}

// watch waits for an operation by reading its status URL or, with --strategy provisioning-state,
// the URL of the resource.
func (c *command) watch(ctx context.Context) error {
	if err := c.flags.UseStatusURL(); err != nil {
		return output.UsageError{Err: err}
	}
	c.flags.EndOnDeletion()
	req, err := c.flags.Request(ctx, http.MethodGet, c.stdin)
	if err != nil {
		return output.UsageError{Err: err}
	}
	p, err := c.send(ctx, req)
	err = c.follow(ctx, p, err)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.Reason == lroerrors.ReasonGone && c.flags.ReadsResource() {
		return output.ResourceError{Err: err}
	}
	return err
}
