package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A thing is the result of an operation. Which field holds the content depends on the protocol.
type thing struct {
	Content    string            `json:"content"`
	Properties map[string]any    `json:"properties"`
	Result     map[string]string `json:"result"`
}

func (v thing) content() string {
	inner, _ := v.Properties["content"].(string)
	return v.Content + inner + v.Result["content"]
}

type thingPoller = poller.Poller[thing]

// A caller starts operations on a service and follows them.
type caller struct {
	url    string
	client poller.Doer
	tally  *tally
}

// options returns an operation's poller options: its strategy, short pauses, and enough patience to
// outlast the faults.
func (c *caller) options(op *operation) *poller.Options {
	return &poller.Options{
		Strategy: op.strategy,
		Cadence:  poller.Cadence{Default: 4 * time.Millisecond, Min: 2 * time.Millisecond, Max: 40 * time.Millisecond},
		Patience: poller.Patience{Time: time.Hour, Failures: 100},
		Origins:  []string{c.url},
	}
}

func (c *caller) request(ctx context.Context, op *operation) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, op.verb, c.url+op.path, strings.NewReader(op.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(correlation, op.name)
	if op.repeatable {
		req.Header.Set(repeatable, op.name)
	}
	return req, nil
}

// errGone reports that a DELETE found its resource already gone.
var errGone = errors.New("gone")

// begin starts an operation. If the service accepted the operation but poller.Begin cannot follow
// it, begin resumes it. If the response was lost or unusable, begin sends the request again.
func (c *caller) begin(ctx context.Context, op *operation) (*thingPoller, error) {
	var last error
	for range 300 {
		req, err := c.request(ctx, op)
		if err != nil {
			return nil, err
		}
		p, err := poller.Begin[thing](req, c.client, c.options(op))
		if err == nil {
			return p, nil
		}
		if p, ok := c.resumeAccepted(op, err); ok {
			return p, nil
		}
		switch detail, code := refusalOf(err); {
		case detail == op.plan.Error.Code:
			return nil, err
		case op.verb == http.MethodDelete && (code == http.StatusNotFound || code == http.StatusGone):
			return nil, errGone
		}
		c.tally.count("start requests sent again")
		last = err
		if pause(ctx, 5) != nil {
			break
		}
	}
	return nil, fmt.Errorf("all attempts failed, the last one with: %w", last)
}

// resumeAccepted uses the token in err to resume an operation that the service accepted but Begin
// could not follow.
func (c *caller) resumeAccepted(op *operation, err error) (*thingPoller, bool) {
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok || wait.Reason != lroerrors.ReasonUnfollowable {
		return nil, false
	}
	c.tally.count("accepted operations that Begin could not follow")
	token, err := wait.ResumeToken()
	if err != nil {
		return nil, false
	}
	p, err := poller.Resume[thing](token, c.client, c.options(op))
	if err == nil {
		c.tally.count("accepted operations resumed from their tokens")
	}
	return p, err == nil
}

// refusalOf returns the service's error code and the HTTP status code in an error from Begin, or
// zero values if there was no response.
func refusalOf(err error) (detail string, code int) {
	se, _ := errors.AsType[*lroerrors.StatusError](err)
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		se = wait.LastErr
	}
	if se == nil {
		return "", 0
	}
	if se.Detail != nil {
		detail = se.Detail.Code
	}
	return detail, se.StatusCode
}

// outcomeOf returns how an operation ended, from its caller's point of view.
func outcomeOf(op *operation, v thing, err error) outcome {
	var o outcome
	failed, ok := errors.AsType[*lroerrors.OperationError](err)
	detail, _ := refusalOf(err)
	switch {
	case err == nil:
		return outcome{State: string(poller.Succeeded), Content: v.content()}
	case errors.Is(err, errGone):
		return outcome{State: string(poller.Succeeded)}
	case ok:
		o.State = string(failed.State)
		if failed.Detail != nil {
			o.Code = failed.Detail.Code
		}
		return o
	case detail == op.plan.Error.Code:
		return outcome{State: refused, Code: detail}
	}
	return outcome{State: fmt.Sprintf("lost: %v", err)}
}

// text returns the outcome as JSON.
func (o outcome) text() []byte {
	b, _ := json.Marshal(o) // encoding strings never fails
	return b
}
