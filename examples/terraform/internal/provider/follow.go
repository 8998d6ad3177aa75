package provider

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// carryOut begins an operation and follows it to its end.
func (s *service) carryOut(ctx context.Context, v verb, m *widgetModel, in private, diags *diag.Diagnostics) (*widget, error) {
	p, err := s.begin(ctx, methods[v], m.Name.ValueString(), m.body(v))
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		diags.Append(keep(ctx, in, v, wait)...) // accepted, and this version cannot follow it
	}
	if err != nil {
		return nil, err
	}
	return s.follow(ctx, v, m, p, in, diags)
}

// takeUp follows an operation that an earlier run has begun to its end.
func (s *service) takeUp(ctx context.Context, op *operation, m *widgetModel, in private, diags *diag.Diagnostics) (*widget, error) {
	p, err := s.resume(string(op.Token))
	if err != nil {
		return nil, err
	}
	tflog.Info(ctx, "taking up an operation of an earlier run", map[string]any{"verb": op.Verb})
	return s.follow(ctx, op.Verb, m, p, in, diags)
}

// follow waits for the end of an operation, for as long as the timeouts block has
// for it. Afterwards private state holds the operation if it goes on without us, and
// none if it has ended, or if the service knows of none any more.
//
// Ctrl-C and the timeout are the same to it: both end ctx, and neither the
// operation.
func (s *service) follow(ctx context.Context, v verb, m *widgetModel, p *poller.Poller[widget], in private, diags *diag.Diagnostics) (*widget, error) {
	timeout, d := m.timeout(ctx, v)
	diags.Append(d...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	w, err := result(ctx, p)
	if hasEnded(err) || isGone(err) {
		diags.Append(forget(ctx, in)...)
	} else {
		diags.Append(keep(ctx, in, v, p)...)
	}
	return w, err
}

// result waits for the end and the result, and logs every status.
func result(ctx context.Context, p *poller.Poller[widget]) (*widget, error) {
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return nil, err
		}
		progress(ctx, status)
	}
	w, err := p.PollUntilDone(ctx)
	return &w, err
}

// progress is what TF_LOG_PROVIDER=INFO shows.
func progress(ctx context.Context, status poller.Status) {
	fields := map[string]any{"state": cmp.Or(status.Word, string(status.State))}
	if status.PercentComplete != nil {
		fields["percent"] = *status.PercentComplete
	}
	if !status.NextPoll.IsZero() {
		fields["next_poll"] = status.NextPoll.Format(time.RFC3339)
	}
	if status.ReadErr != nil {
		fields["error"] = status.ReadErr.Error()
		tflog.Warn(ctx, "the status could not be read; this was known before", fields)
		return
	}
	tflog.Info(ctx, "status of the operation", fields)
}

// hasEnded reports whether err, nil included, is how an operation ends. Whatever
// else stops a wait leaves something to go on with, if only the result to be read.
func hasEnded(err error) bool {
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	return err == nil || failed
}

// goesOn reports whether err leaves an operation behind, and what the service
// called its state.
func goesOn(err error) (word string, ok bool) {
	if hasEnded(err) {
		return "", false
	}
	if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		return "Succeeded", true
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return cmp.Or(wait.Word, wait.State), true
	}
	return "", false // refused, or unanswered
}

// isGone reports whether the service knows of the operation no more. The widget
// itself has to tell what became of it.
func isGone(err error) bool {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok && wait.Reason == lroerrors.ReasonGone
}
