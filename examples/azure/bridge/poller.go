package bridge

import (
	"encoding/json"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

// NewPoller takes the place of runtime.NewPoller in a client for azcore: the operation
// that resp began is followed by us, through the same pipeline, and the caller is given
// the poller of azcore that he knows.
//
// An error holds an *azcore.ResponseError where the service has answered.
func NewPoller[T any](resp *http.Response, pl runtime.Pipeline, opts *poller.Options) (*runtime.Poller[T], error) {
	p, err := poller.New[T](resp, Doer(pl), opts)
	if err != nil {
		return nil, withResponse(err)
	}
	return Azcore(p)
}

// NewPollerFromResumeToken takes the place of runtime.NewPollerFromResumeToken. It takes
// the tokens of azcore's own handlers as well as ours, which the azcore poller of either
// makes. opts must name the Origins that may be asked: a token could be forged.
func NewPollerFromResumeToken[T any](token string, pl runtime.Pipeline, opts *poller.Options) (*runtime.Poller[T], error) {
	return runtime.NewPollerFromResumeToken(token, pl, &runtime.NewPollerFromResumeTokenOptions[T]{
		Handler: NewResumeHandler[T](Doer(pl), opts),
	})
}

// Azcore returns the poller of azcore that has p do its work, for callers who want one.
// p may still be asked, for its status or to cancel.
func Azcore[T any](p *poller.Poller[T]) (*runtime.Poller[T], error) {
	return runtime.NewPoller(nil, runtime.Pipeline{}, &runtime.NewPollerOptions[T]{Handler: NewHandler(p)})
}

// Resume is poller.Resume for the tokens of [Azcore] pollers, too: ours within azcore's.
// It takes all others that poller.Resume takes.
func Resume[T any](token string, client poller.Doer, opts *poller.Options) (*poller.Poller[T], error) {
	var outer struct {
		Token json.RawMessage `json:"token"`
	}
	var inner struct {
		Version int `json:"lro"`
	}
	if json.Unmarshal([]byte(token), &outer) == nil && json.Unmarshal(outer.Token, &inner) == nil && inner.Version != 0 {
		token = string(outer.Token)
	}
	return poller.Resume[T](token, client, opts)
}
