package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
	"github.com/lro-go/lro/transport"
)

// A target is a URL or token file given to lro wait.
type target struct {
	*operation
	name string     // the name to show: the URL without its query, or the file name
	file *tokenFile // nil if the target is a URL
}

// waitForAll waits for all targets on the command line and prints their results.
func (c *command) waitForAll(ctx context.Context) error {
	targets, err := c.targets()
	if err != nil {
		return output.UsageError{Err: err}
	}
	group := poller.NewGroup[*target](nil)
	for _, t := range targets {
		group.Add(t)
	}
	group.Close()

	c.printer.Start("")
	if len(targets) == 1 {
		for t, err := range group.Wait(ctx) {
			return c.finish(ctx, t, err, func(result json.RawMessage) error {
				c.printer.Stop()
				return c.printer.Result(result, t.empty())
			})
		}
	}
	several := c.printer.Several(len(targets))
	for t, err := range group.Wait(ctx) {
		err = c.finish(ctx, t, err, func(result json.RawMessage) error { return several.Result(t.name, result) })
		if err != nil {
			several.Failure(ctx, t.name, err)
		}
	}
	return several.End()
}

// finish prints a target's result with the function show. err is the error that ended the wait for
// the target, if any.
//
// If the target has a token file, finish also saves the token if lro resume can still get the
// result, and removes the file if the operation has ended and the token is no longer needed.
func (c *command) finish(ctx context.Context, t *target, err error, show func(json.RawMessage) error) error {
	var result json.RawMessage
	if err == nil {
		result, err = t.PollUntilDone(ctx) // returns at once, because group.Wait has already read the result
	}
	if t.file == nil {
		if err != nil {
			return resourceError(err)
		}
		return show(result)
	}

	ended, err := c.saveIfResumable(t.file, t.operation, err)
	if err == nil {
		unprinted := show(result)
		if unprinted != nil { // printing failed, for example because the disk is full
			return c.saveToken(t.file, &lroerrors.ResultError{Err: unprinted}, t.ResumeToken)
		}
	}
	c.removeToken(t.file, ended)
	return err
}

// resourceError returns the error to show for a URL. If failed reads ended the wait, this is the
// error of the last read, without the WaitError around it, because there is no operation to resume.
func resourceError(err error) error {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	isStop := ok && (wait.Reason == lroerrors.ReasonCanceled || wait.Reason == lroerrors.ReasonDeadline)
	if ok && !isStop && wait.LastErr != nil {
		err = wait.LastErr
	}
	return output.ResourceError{Err: err}
}

// targets returns the targets given on the command line. It sends no requests.
func (c *command) targets() (all []*target, err error) {
	judge, err := c.flags.Judge()
	if err != nil {
		return nil, err
	}
	if judge != nil && !slices.ContainsFunc(c.flags.Targets, flags.IsURL) {
		return nil, errors.New("--until, --exists and --deleted are for URLs, but there is no URL")
	}
	c.flags.EndOnDeletion() // a resumed lro watch also succeeds once the resource is deleted
	for _, arg := range c.flags.Targets {
		one := c.flags.WithTarget(arg)
		t := &target{name: arg}
		logger := slog.New(afterRead{c.logHandler(), func() { c.showStatus(t) }})
		if flags.IsURL(arg) {
			err = c.watchURL(t, one, judge, logger)
		} else {
			t.file = &tokenFile{path: one.TargetFile(), dir: "."}
			err = c.restoreFile(t, one, logger)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// watchURL sets up t to wait for the resource at f.Target.
func (c *command) watchURL(t *target, f *flags.Flags, judge poller.Judge[json.RawMessage], logger *slog.Logger) error {
	if judge == nil {
		return errors.New("say what to wait for at the URL: --until, --exists or --deleted")
	}
	t.name = shownURL(f.Target)
	var next time.Time // when the service wants the next read, or zero if it does not say
	get := func(ctx context.Context) (resource json.RawMessage, err error) {
		resource, next, err = c.read(ctx, f)
		return resource, err
	}
	paced := func(resource json.RawMessage, err error) (poller.Status, error) {
		status, err := judge(resource, err)
		status.NextPoll = next
		return status, err
	}
	opts := f.PollerOptions(logger)
	t.operation = poller.Watch(get, paced, &poller.WatchOptions{Name: "GET " + t.name, Cadence: opts.Cadence, Patience: opts.Patience, Logger: logger})
	return nil
}

// read reads the resource at a URL once. It does not retry, because the poller reads again later.
// next is when the service wants the next read, or zero if it does not say.
func (c *command) read(ctx context.Context, f *flags.Flags) (resource json.RawMessage, next time.Time, err error) {
	req, err := f.Request(transport.WithLongestPause(ctx, 0), http.MethodGet, c.stdin)
	if err != nil {
		return nil, time.Time{}, err
	}
	get := &plainGet{}
	p, err := poller.Begin[json.RawMessage](req, c.client, &poller.Options{Strategy: get, Origins: f.Origins()})
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.LastErr != nil {
		err = wait.LastErr // report the failed request itself, because a read starts no operation
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	pause, asked := transport.RetryAfter(get.header, time.Now())
	if asked {
		next = time.Now().Add(pause)
	}
	resource, err = p.Result(ctx)
	return resource, next, err
}

// A plainGet is a strategy for reading a resource with a GET. The response is the result, and there
// is no operation.
type plainGet struct{ header http.Header }

// Step implements [strategy.Strategy].
func (g *plainGet) Step(a strategy.Answer) (strategy.Move, error) {
	if len(a.Body) > 0 && !json.Valid(a.Body) {
		return strategy.Move{}, strategy.ErrNotJSON
	}
	g.header = a.Header
	return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Body: a.Body}}, nil
}

// restoreFile sets up t to resume the operation in a token file.
func (c *command) restoreFile(t *target, f *flags.Flags, logger *slog.Logger) error {
	token, err := f.ResumeToken(c.stdin)
	if err != nil {
		return err
	}
	t.operation, err = poller.Resume[json.RawMessage](token, c.client, f.PollerOptions(logger))
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return nil
}

// showStatus shows t's status, with t's name if there are several targets.
func (c *command) showStatus(t *target) {
	name := t.name
	if len(c.flags.Targets) == 1 {
		name = ""
	}
	c.printer.StatusOf(name, t.Status())
}

// empty returns the text to show if t has no result.
func (t *target) empty() string {
	if t.file == nil {
		return "the resource does not exist"
	}
	return noResult
}

// logHandler returns the log's handler, or slog.DiscardHandler if there is no log.
func (c *command) logHandler() slog.Handler {
	if c.logger == nil {
		return slog.DiscardHandler
	}
	return c.logger.Handler()
}

// An afterRead is a log handler that calls the function do after each read of the status. It
// recognizes such a read by the poller's log message.
type afterRead struct {
	slog.Handler
	do func()
}

// Enabled implements [slog.Handler].
func (h afterRead) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (h afterRead) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "lro: poll" { // logged after a read of the status, but not after a read of the result
		h.do()
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
