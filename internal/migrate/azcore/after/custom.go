package after

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// Jobs is a strategy for jobs, the service's own kind of operation. It sends no requests and has no
// state. The poller takes care of requests, tokens, cadence and patience.
type Jobs struct{}

var _ strategy.Strategy = Jobs{}

// Step implements [strategy.Strategy].
func (Jobs) Step(a strategy.Answer) (strategy.Move, error) {
	var j struct {
		ID     string
		Phase  string // queued, running, finished or broken
		Output json.RawMessage
	}
	if a.Code < 200 || a.Code > 299 {
		return strategy.Move{}, strategy.ErrNoStatus // the poller then decides by the HTTP status code
	}
	if err := json.Unmarshal(a.Body, &j); err != nil {
		return strategy.Move{}, err
	}
	mv := strategy.Move{Status: strategy.Status{Word: j.Phase}, Inline: true} // Inline, because a finished job includes its output
	if a.First {
		mv.Poll = "jobs/" + j.ID // relative to the URL of the first request
	}
	switch j.Phase {
	case "":
		return strategy.Move{}, strategy.ErrNoStatus
	case "finished":
		mv.Status.State, mv.Result.Body = strategy.Succeeded, j.Output
	case "broken":
		mv.Status.State, mv.Status.Detail = strategy.Failed, a.Detail()
	}
	return mv, nil
}

// RunJob starts a job and waits for its output.
func (c *Client) RunJob(ctx context.Context, want widgets.Widget) (widgets.Widget, error) {
	req, err := c.request(ctx, http.MethodPost, "/jobs", want)
	if err != nil {
		return widgets.Widget{}, err
	}
	opts := c.opts
	opts.Strategy = Jobs{}
	p, err := poller.Begin[widgets.Widget](req, c.http, &opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}

// ResumeJob resumes a job from a token that azcore made with the handler in package before. Only
// this handler knows what the token contains, so ResumeJob converts the token to one of this
// module's own. Package poller documents the format of its tokens.
func (c *Client) ResumeJob(ctx context.Context, token string) (widgets.Widget, error) {
	var stored struct{ Token struct{ URL string } }
	if err := json.Unmarshal([]byte(token), &stored); err != nil {
		return widgets.Widget{}, err
	}
	ours, err := json.Marshal(map[string]any{
		"lro": 1, "phase": "polling", "poll": stored.Token.URL, "status": map[string]any{"state": poller.InProgress},
	})
	if err != nil {
		return widgets.Widget{}, err
	}
	opts := c.opts
	opts.Strategy, opts.Origins = Jobs{}, []string{c.endpoint}
	p, err := poller.Resume[widgets.Widget](string(ours), c.http, &opts)
	if err != nil {
		return widgets.Widget{}, err
	}
	return p.PollUntilDone(ctx)
}
