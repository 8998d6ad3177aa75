package lroazcore

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	goruntime "runtime"
	"sync"
	"weak"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// NewPoller replaces runtime.NewPoller in an azcore client. resp is the response to the request
// that started the operation. The returned azcore poller follows the operation with lro's
// strategies, through the same pipeline. Like runtime.NewPoller, NewPoller reads and closes the
// body of resp.
//
// azcore decides when to read the status. Before the first read, PollUntilDone waits for the
// Retry-After of resp, if there is one. Before each later read, it waits for the Retry-After of the
// last response or, without one, for PollUntilDoneOptions.Frequency, which is 30 s by default.
// Reads are always at least the Min of opts.Cadence apart; if necessary, Poll itself waits for the
// rest of that time. First and Default of opts.Cadence only determine the default of Min.
//
// A failed read that may succeed later does not end the wait: Poll returns the service's response,
// such as a 503, and no error. If no response came, Poll returns a 503 of its own, whose error says
// why. If a body is larger than 64 KiB, Poll's response contains a status document or the first 64
// KiB instead. Poll uses the pipeline's retry options.
//
// NewPoller returns the errors from [poller.New], except that a refused request's error is an
// *azcore.ResponseError. If the error is a *WaitError of package errors, the service accepted the
// operation, and the error's ResumeToken method returns a token for [Resume].
//
// Do not call the returned poller's methods concurrently. The methods of the lro poller, which [Of]
// returns, are safe for concurrent use. If resp comes from an azcore fake server, NewPoller returns
// azcore's own poller.
func NewPoller[T any](resp *http.Response, pl runtime.Pipeline, opts *poller.Options) (*runtime.Poller[T], error) {
	if isFake(resp) {
		return runtime.NewPoller[T](resp, pl, nil)
	}
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	return newHandler[T](Doer(pl), opts).start(resp)
}

// isFake reports whether resp comes from an azcore fake server, which has its own protocol.
func isFake(resp *http.Response) bool {
	return resp != nil && resp.Header.Get("Fake-Poller-Status") != ""
}

// NewPollerFromResumeToken replaces runtime.NewPollerFromResumeToken. It accepts the tokens of
// azcore's own handlers and of pollers from [NewPoller]. It sends nothing. If a pause that the
// service asked for is not over, the first Poll also sends nothing, and PollUntilDone waits for the
// rest of the pause. opts must list the Origins that the poller may read from, because a token may
// be forged.
//
// It returns the errors from [poller.Resume], or azcore's error if the token is for a type other than
// T.
func NewPollerFromResumeToken[T any](token string, pl runtime.Pipeline, opts *poller.Options) (*runtime.Poller[T], error) {
	h := newHandler[T](Doer(pl), opts)
	p, err := runtime.NewPollerFromResumeToken(token, pl, &runtime.NewPollerFromResumeTokenOptions[T]{Handler: h})
	if err != nil {
		return nil, err
	}
	if h.p == nil && !isFakeToken(token) {
		return nil, fmt.Errorf("%w: it holds no operation", lroerrors.ErrBadToken)
	}
	return register(p, h), nil
}

func isFakeToken(token string) bool {
	var t struct {
		Token struct {
			FakeURL string `json:"fakeURL"`
		} `json:"token"`
	}
	return json.Unmarshal([]byte(token), &t) == nil && t.Token.FakeURL != ""
}

// ours maps each azcore poller, by a weak pointer, to the lro poller behind it.
var ours sync.Map

func register[T any](p *runtime.Poller[T], h *handler[T]) *runtime.Poller[T] {
	if p == nil || h.p == nil {
		return p // p is nil or belongs to an azcore fake server
	}
	key := weak.Make(p)
	ours.Store(key, h.p)
	goruntime.AddCleanup(p, func(key weak.Pointer[runtime.Poller[T]]) { ours.Delete(key) }, key)
	return p
}

// Of returns the lro poller behind p, an azcore poller from [NewPoller], [NewPollerFromResumeToken]
// or [FollowPoller]. Use it to call NextPoll, Status, ResumeToken or Cancel, or to add the
// operation to a poller.Group. Of sends nothing. You may use both pollers, even concurrently. They
// share the operation's status. The lro poller reads on package poller's schedule.
//
// To find out why a wait with p ended, pass its error to [ErrorOf].
//
// Of returns an error for a poller that azcore made, such as one from a generated client's Begin
// method, because such a poller gives no access to its responses. Instead, call the Begin method
// within [FollowPoller]. If you have the client's pipeline, you can also continue from p's
// ResumeToken with [Resume] and [Doer].
func Of[T any](p *runtime.Poller[T]) (*poller.Poller[T], error) {
	if p != nil {
		if v, ok := ours.Load(weak.Make(p)); ok {
			return v.(*poller.Poller[T]), nil
		}
	}
	return nil, errNotOurs
}

var errNotOurs = errors.New("lroazcore: azcore made this poller; make it with NewPoller, NewPollerFromResumeToken or FollowPoller of this package")

// Resume is like [poller.Resume], but also accepts the tokens of azcore pollers from this package,
// such as those from [NewPoller]. Such a token wraps a token of package poller in azcore's format.
// Resume returns the errors from poller.Resume.
func Resume[T any](token string, client poller.Doer, opts *poller.Options) (*poller.Poller[T], error) {
	return poller.Resume[T](unwrap(token), client, opts)
}

// unwrap returns the token of package poller inside an azcore token. It returns any other token
// unchanged.
func unwrap(token string) string {
	var outer struct {
		Token json.RawMessage `json:"token"`
	}
	if err := json.Unmarshal([]byte(token), &outer); err != nil {
		return token
	}

	var inner struct {
		Version int `json:"lro"`
	}
	if err := json.Unmarshal(outer.Token, &inner); err != nil || inner.Version == 0 {
		return token
	}
	return string(outer.Token)
}
