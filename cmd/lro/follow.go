package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// noResult is the note for an operation without a result.
const noResult = "the operation succeeded and has no result"

// An operation is a Poller with a raw JSON result, so that lro prints its values unchanged.
type operation = poller.Poller[json.RawMessage]

// send sends the first request. Until the response arrives, send shows that lro is waiting, and the
// reason for each retry.
func (c *command) send(ctx context.Context, req *http.Request) (*operation, error) {
	c.printer.Start("waiting for the response to " + req.Method)
	problems := make(chan string)
	answered := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() { c.showAttempts(ctx, req, problems, answered) })

	c.problems = problems
	p, err := poller.Begin[json.RawMessage](req, c.client, c.flags.PollerOptions(c.logger))
	c.problems = nil
	close(answered)
	showing.Wait()
	return p, err
}

// showAttempts shows the progress of the first request until the request has a response or has
// failed.
func (c *command) showAttempts(ctx context.Context, req *http.Request, problems <-chan string, answered <-chan struct{}) {
	slow := time.After(2 * time.Second)
	interrupted := ctx.Done()
	for {
		select {
		case <-answered:
			return
		case problem := <-problems:
			c.printer.Progress(problem)
		case <-slow:
			if !c.printer.HasBar() {
				c.printer.Note("waiting for the response to " + req.Method)
			}
		case <-interrupted:
			interrupted = nil
			if req.Context().Err() == nil { // a canceled request gets no response
				c.printer.Note("waiting for the response, because it says how to resume; press Ctrl-C again to exit now")
			}
		}
	}
}

// follow shows the progress of an operation until the operation ends, and then prints the result.
// err is the error returned with p.
func (c *command) follow(ctx context.Context, p *operation, err error) error {
	result, err := c.await(ctx, p, err)
	if err != nil {
		return err
	}
	if err := c.printer.Result(result, noResult); err != nil { // fails, for example, if the disk is full
		c.ended = false
		return c.saveToken(&c.tokenFile, &lroerrors.ResultError{Err: err}, p.ResumeToken)
	}
	return nil
}

// await returns the result of p. After an error, it saves the token if the operation can be
// resumed. err is the error returned with p.
func (c *command) await(ctx context.Context, p *operation, err error) (json.RawMessage, error) {
	var result json.RawMessage
	if err == nil {
		result, err = c.wait(ctx, p)
	}
	c.endTimeline(err)
	c.printer.Stop()

	c.ended, err = c.saveIfResumable(&c.tokenFile, p, err)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// saveIfResumable saves the token if the operation can be resumed after err. It also reports
// whether the operation has ended and no longer needs its token.
func (c *command) saveIfResumable(file *tokenFile, p *operation, err error) (ended bool, _ error) {
	if err == nil {
		return true, nil
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && output.IsResumable(wait) {
		return false, c.saveToken(file, err, wait.ResumeToken)
	}
	if _, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		return false, c.saveToken(file, err, p.ResumeToken)
	}
	return poller.Classify(err) == poller.Ended, err
}

// wait waits for the operation to end, shows each status, and returns the result.
func (c *command) wait(ctx context.Context, p *operation) (json.RawMessage, error) {
	quiet := p.Done() // an operation that ended at once has no progress to show
	if c.tokenFile.early && !p.Done() {
		c.saveEarly(p)
	}
	for status, err := range p.Updates(ctx) {
		if err != nil {
			return nil, err
		}
		if c.timeline != nil {
			c.timeline.Status(status)
		}
		if !quiet {
			c.printer.Status(status)
		}
	}
	return p.PollUntilDone(ctx)
}

// endTimeline draws the timeline if --timeline is set. err is the error that ended the wait, or
// nil.
func (c *command) endTimeline(err error) {
	if c.timeline == nil {
		return
	}
	c.timeline.End(err)
	if err := c.timeline.draw(); err != nil {
		c.printer.Note(fmt.Sprintf("the timeline could not be drawn: %v", err))
	}
}

// saveEarly writes the token to --token-file, so that even kill -9 does not lose the operation. An
// error causes only a warning, because lro tries to write the token again if the wait ends early.
func (c *command) saveEarly(p *operation) {
	token, err := p.ResumeToken()
	if err == nil {
		err = c.tokenFile.write(token)
	}
	if err != nil {
		c.printer.Note(fmt.Sprintf("the resume token could not be written: %v", err))
	}
}

// saveToken saves the token. It returns err with the name of the token file and the command that
// resumes the wait or, if the token was not saved, with the reason.
func (c *command) saveToken(file *tokenFile, err error, token func() (string, error)) error {
	t, unsaved := token()
	if unsaved == nil {
		unsaved = file.writeAnywhere(t)
	}
	if unsaved != nil {
		return &output.ResumableError{Err: err, Unsaved: unsaved}
	}
	return &output.ResumableError{Err: err, TokenFile: file.path, Command: c.flags.ResumeCommand(file.path)}
}

func (c *command) removeToken(file *tokenFile, ended bool) {
	if ended && file.remove() {
		c.printer.Note("the operation has ended; removed " + file.path)
	}
}
