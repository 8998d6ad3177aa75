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
// azcore decides when to read the status. PollUntilDone waits for the Retry-After of resp, if there is
// one, before the first read. Before each later read, it waits for the Retry-After of the last response
// or, without one, for PollUntilDoneOptions.Frequency, which is 30 s by default. A pause between two
// reads is never shorter than the Min of opts.Cadence; if necessary, Poll itself waits for the rest of
// that time. First and Default of opts.Cadence only determine the default of Min.
//
// A failed read that may succeed later does not end the wait: Poll returns the service's response,
// such as a 503, and no error. If no response came, Poll returns a 503 of its own, whose error says
// why. If a body is larger than 64 KiB, the response of Poll contains a status document or the
// first 64 KiB instead. Poll uses the retry options of the pipeline.
//
// NewPoller returns the errors of [poller.New], except that the error of a refused request is an
// *azcore.ResponseError. If the error is a *WaitError of package errors, the service accepted the
// operation, and the ResumeToken method of the error returns a token for [Resume].
//
// Do not call methods of the returned poller concurrently. The methods of the lro poller, which
// [Of] returns, are safe for concurrent use. If resp comes from an azcore fake server, NewPoller
// returns azcore's own poller.
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

// NewPollerFromResumeToken replaces runtime.NewPollerFromResumeToken. It accepts the tokens of azcore's
// own handlers and of pollers that [NewPoller] returned. It sends nothing. If the service asked for a
// pause that is not over yet, the first Poll also sends nothing, and PollUntilDone waits for the rest
// of the pause. opts must list the Origins from which the poller may read, because a token may be
// forged.
//
// It returns the errors of [poller.Resume], or azcore's error if the token is for a type other than T.
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
		return p // p belongs to an azcore fake server
	}
	key := weak.Make(p)
	ours.Store(key, h.p)
	goruntime.AddCleanup(p, func(key weak.Pointer[runtime.Poller[T]]) { ours.Delete(key) }, key)
	return p
}

// Of returns the lro poller behind p, an azcore poller that [NewPoller], [NewPollerFromResumeToken]
// or [FollowPoller] returned. Use it to call NextPoll, Status, ResumeToken or Cancel, or to add the
// operation to a poller.Group. Of sends nothing. You may use both pollers, even concurrently; they
// share the status of the operation. The lro poller reads on the schedule of package poller.
//
// The error of a wait with p contains the reason why the wait ended: see [ErrorOf].
//
// Of returns an error for a poller that azcore made, such as one from the Begin method of a generated
// client, because such a poller gives no access to its responses. Instead, call the Begin method within
// [FollowPoller]. If you have the client's pipeline, you can also continue from the ResumeToken of p
// with [Resume] and [Doer].
func Of[T any](p *runtime.Poller[T]) (*poller.Poller[T], error) {
	if p != nil {
		if v, ok := ours.Load(weak.Make(p)); ok {
			return v.(*poller.Poller[T]), nil
		}
	}
	return nil, errNotOurs
}

var errNotOurs = errors.New("lroazcore: azcore made this poller; make it with NewPoller, NewPollerFromResumeToken or FollowPoller of this package")

// Resume works like [poller.Resume], but also accepts the tokens of pollers that [NewPoller]
// returned. Such a token wraps a token of package poller in azcore's format. Resume returns the
// errors of poller.Resume.
func Resume[T any](token string, client poller.Doer, opts *poller.Options) (*poller.Poller[T], error) {
	return poller.Resume[T](unwrap(token), client, opts)
}

// unwrap returns the token of package poller inside a token of azcore. It returns any other token
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
