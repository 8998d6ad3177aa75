package features

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/strategy"
)

// A light is a document in a protocol that none of the libraries supports.
type light struct {
	Light string `json:"light"`
	Name  string `json:"name"`
}

// lights returns a script in which the light is first red and then turns green.
func lights() script {
	return script{
		postW: turns(says(http.StatusOK, `{"light":"red"}`)),
		getW:  turns(says(http.StatusOK, `{"light":"red"}`), says(http.StatusOK, `{"light":"green","name":"w"}`)),
	}
}

// ownProtocol tests whether a subject can follow an operation whose protocol the caller implements.
func ownProtocol(t *testing.T, subject string) string {
	return arrived(followWith(t, map[string]follower{
		azcore: func(ctx context.Context, s *scripted) (string, error) {
			pl, err := azcorePipeline(s)
			if err != nil {
				return "", err
			}
			p, err := azcoreBegins(ctx, s, &azruntime.NewPollerOptions[light]{Handler: &lightHandler{pl: pl}})
			if err != nil {
				return "", err
			}
			l, err := p.PollUntilDone(ctx, nil)
			return l.Name, err
		},
		hashicorp: func(ctx context.Context, s *scripted) (string, error) {
			c, err := hashicorpManager(s)
			if err != nil {
				return "", err
			}
			p := pollers.NewPoller(&lightPoller{c}, time.Minute, 3)
			if err := p.PollUntilDone(ctx); err != nil {
				return "", err
			}
			var l light
			err = p.FinalResult(&l)
			return l.Name, err
		},
		lro: lroFollows(&poller.Options{Strategy: lightStrategy{}}),
	}[subject], lights()))
}

type lightHandler struct {
	pl   azruntime.Pipeline
	last light
}

func (h *lightHandler) Done() bool { return h.last.Light == "green" }

func (h *lightHandler) Poll(ctx context.Context) (*http.Response, error) {
	req, err := azruntime.NewRequest(ctx, http.MethodGet, arm+widgetW+version)
	if err != nil {
		return nil, err
	}
	resp, err := h.pl.Do(req)
	if err != nil {
		return nil, err
	}
	return resp, azruntime.UnmarshalAsJSON(resp, &h.last)
}

func (h *lightHandler) Result(_ context.Context, out *light) error {
	*out = h.last
	return nil
}

type lightPoller struct{ c *resourcemanager.Client }

func (p *lightPoller) Poll(ctx context.Context) (*pollers.PollResult, error) {
	resp, err := hashicorpSends(ctx, p.c, http.MethodGet, widgetW)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(strings.NewReader(string(body)))
	var l light
	if err := json.Unmarshal(body, &l); err != nil {
		return nil, err
	}
	status := pollers.PollingStatusInProgress
	if l.Light == "green" {
		status = pollers.PollingStatusSucceeded
	}
	return &pollers.PollResult{HttpResponse: resp, PollInterval: time.Minute, Status: status}, nil
}

type lightStrategy struct{}

func (lightStrategy) Step(a strategy.Answer) (strategy.Move, error) {
	m := strategy.Move{Poll: arm + widgetW + version, Status: poller.Status{Word: a.Text("/light"), State: poller.InProgress}}
	if m.Status.Word == "green" {
		m.Status.State, m.Result = poller.Succeeded, strategy.Result{Body: a.Body}
	}
	return m, nil
}

// ibmOperation checks whether a subject can follow an operation that conforms to IBM Cloud's API
// handbook.
func ibmOperation(t *testing.T, subject string) string {
	s := script{
		postW: turns(says(http.StatusAccepted, `{"id":"1","status":"not_started"}`, "Location", arm+operation+version)),
		polled: turns(
			says(http.StatusOK, `{"id":"1","status":"in_progress"}`),
			says(http.StatusOK, `{"id":"1","status":"succeeded","resource":{"href":"`+arm+widgetW+`"}}`),
		),
		getW: turns(says(http.StatusOK, `{"name":"w"}`)),
	}
	with := followers[subject]
	if subject == lro {
		with = lroFollows(&poller.Options{Strategy: ibmcloud.Operation{}})
	}
	o := followWith(t, with, s)
	switch said := arrived(o); {
	case o.err == nil && len(o.of(polled)) == 1:
		return "no: treats it as done while it is still running"
	case subject == lro && said == "yes":
		return "by `ibmcloud.Operation`"
	default:
		return said
	}
}
