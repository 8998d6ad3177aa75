package lroazcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// Follow starts an operation with a Begin method of a generated azcore client, and follows it with
// an lro poller. begin must call that method, and pass the token in the method's options:
//
//	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[armstorage.AccountsClientCreateResponse], error) {
//		return client.BeginCreate(ctx, group, name, account, &armstorage.AccountsClientBeginCreateOptions{ResumeToken: token})
//	}, nil)
//
// Follow first calls begin with a fake token and a canceled context, to verify that begin passes on
// the token. It then calls begin with ctx and without a token, which starts the operation. ctx
// applies only to this call. Afterwards, the poller calls begin once for each of its requests, with
// another token that Follow makes, to send the request through the client's pipeline; see [DoerOf].
//
// If FinalStateVia or ResultPointer of opts is empty, Follow takes it from the poller that begin
// returned, because a generated client knows them from the service's API description. T is the
// response type of the method.
//
// If the service accepted an operation that can be followed, Follow follows it even if begin
// returned an error. Otherwise, Follow returns the errors from [poller.New]; an error that reports
// a response also contains an *azcore.ResponseError. If the service accepted the operation, but it
// cannot be followed, the error is a *WaitError of package errors, whose ResumeToken works with
// poller.Resume and DoerOf. If no response came, the error is a *StatusError that wraps begin's
// error.
//
// Follow sends nothing if begin does not pass on the token, or if T is a *runtime.Pager, which only
// azcore's poller can create. The error is then a *StatusError that matches no context error.
//
// azcore's fake servers have their own protocol. With such a server, the returned poller has no
// resume token, and a 4xx other than 408 and 429 means that the operation has failed.
func Follow[T any](ctx context.Context, begin func(ctx context.Context, token string) (*runtime.Poller[T], error), opts *poller.Options) (*poller.Poller[T], error) {
	resp, theirs, err := start(ctx, begin) //nolint:bodyclose // azcore has read the body
	if err != nil {
		return nil, err
	}
	if theirs != nil && isFake(resp) {
		return followFake(theirs, opts), nil
	}
	p, err := poller.New[T](resp, DoerOf(begin), withClientDefaults(theirs, opts))
	return p, withAzcoreError(err)
}

// FollowPoller is like [Follow], but returns azcore's poller, as [NewPoller] does. Use it if your
// interfaces require an azcore poller:
//
//	func (c *Client) BeginCreate(ctx context.Context, w Widget) (*runtime.Poller[Response], error) {
//		return lroazcore.FollowPoller(ctx, func(ctx context.Context, token string) (*runtime.Poller[Response], error) {
//			return c.widgets.BeginCreate(ctx, w, &BeginCreateOptions{ResumeToken: token})
//		}, nil)
//	}
//
// [Of] returns the lro poller behind azcore's poller. The lro poller has NextPoll, Status and
// Cancel. To resume from the token of azcore's poller, call [Resume] with [DoerOf]; the client's
// own method rejects the token. FollowPoller returns the errors from Follow, except that the error
// for a refused request is an *azcore.ResponseError. If an azcore fake server responds,
// FollowPoller returns azcore's own poller.
func FollowPoller[T any](ctx context.Context, begin func(ctx context.Context, token string) (*runtime.Poller[T], error), opts *poller.Options) (*runtime.Poller[T], error) {
	resp, theirs, err := start(ctx, begin) //nolint:bodyclose // azcore has read the body
	if err != nil {
		return nil, err
	}
	if theirs != nil && isFake(resp) {
		return theirs, nil
	}
	return newHandler[T](DoerOf(begin), withClientDefaults(theirs, opts)).start(resp)
}

// start checks that begin passes on its token, and then calls begin without a token to start the
// operation. It returns the service's response and azcore's poller. The poller is nil if begin
// returned an error.
func start[T any](ctx context.Context, begin generated[T]) (*http.Response, *runtime.Poller[T], error) {
	if err := passesToken(ctx, begin); err != nil {
		return nil, nil, &lroerrors.StatusError{Err: err}
	}
	var resp *http.Response
	p, err := begin(policy.WithCaptureResponse(ctx, &resp), "")
	if resp == nil {
		return nil, nil, noResponse(p, err)
	}
	return resp, p, nil
}

// noResponse returns Follow's error if begin returned p and err, but no response was captured.
func noResponse[T any](p *runtime.Poller[T], err error) error {
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return &lroerrors.StatusError{Err: sent.Err} // without the URL, whose query may contain secrets
	}
	if err != nil {
		return &lroerrors.StatusError{Err: err}
	}
	if p == nil {
		return &lroerrors.StatusError{Err: errors.New("begin returned neither a poller nor an error")}
	}

	wait := &lroerrors.WaitError{
		Reason:  lroerrors.ReasonUnfollowable,
		State:   poller.InProgress,
		LastErr: &lroerrors.StatusError{Err: errors.New("begin did not send its request through a pipeline of azcore with its context")},
	}
	return wait.WithToken(p.ResumeToken)
}

// DoerOf returns a Doer that sends GET requests through the pipeline inside a generated client.
// begin is a function like the one for [Follow]; the Doer calls it with a token for each request.
// Use the Doer to resume an operation in another process:
//
//	p, err := poller.Resume[armstorage.AccountsClientCreateResponse](token, lroazcore.DoerOf(begin), &poller.Options{Origins: origins})
//
// This Doer retries and follows redirects like the one that [Doer] returns, but azcore reads every
// body completely. For any method other than GET, the Doer returns an error that wraps
// errors.ErrUnsupported: to cancel, use your own pipeline. The Doer calls begin with a canceled
// context, so that begin sends nothing if it does not pass on the token. In that case, the Doer
// returns an error that says that begin must pass on the token. The Doer is safe for concurrent use
// if begin is.
func DoerOf[T any](begin func(ctx context.Context, token string) (*runtime.Poller[T], error)) poller.Doer {
	return generated[T](begin)
}

// generated is a begin function (see [Follow]) whose Do method sends requests through the generated
// client's pipeline.
type generated[T any] func(context.Context, string) (*runtime.Poller[T], error)

// Do implements [poller.Doer]. It makes azcore resume an operation whose status is at req's URL,
// and poll it once. It returns the response, however azcore interprets it.
func (begin generated[T]) Do(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != "" {
		return nil, fmt.Errorf("lroazcore: a generated client sends no %s for a poller; use Doer with a pipeline: %w", req.Method, errors.ErrUnsupported)
	}
	p, err := begin.resume(req.Context(), req.URL.String())
	if err != nil {
		return nil, err
	}
	ours := policy.WithHTTPHeader(retries(req.Context()), req.Header)
	var resp *http.Response
	_, err = p.Poll(policy.WithCaptureResponse(layered{req.Context(), ours}, &resp))
	if resp == nil && err == nil {
		err = errors.New("lroazcore: the poller of begin sent nothing")
	}
	captureOf(req.Context()).record(resp)
	return resp, err
}

// resume returns an azcore poller that reads the given URL. It passes begin a canceled context, so
// that begin cannot send anything.
func (begin generated[T]) resume(ctx context.Context, to string) (*runtime.Poller[T], error) {
	token, err := tokenTo[T](to)
	if err != nil {
		return nil, err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	p, err := begin(ended, token)
	if errors.Is(err, context.Canceled) {
		return nil, errNotPassed // err says that the context was canceled, but resume itself canceled it
	}
	if err == nil && p == nil {
		err = errors.New("begin returned neither a poller nor an error")
	}
	return p, err
}

var errNotPassed = errors.New("lroazcore: begin must pass its token to the method, as ResumeToken of the method's options")

// passesToken returns an error if begin is nil or does not pass its token to the client's method,
// or if T is a *runtime.Pager.
func passesToken[T any](ctx context.Context, begin generated[T]) error {
	if begin == nil {
		return errors.New("lroazcore: begin is nil")
	}
	if _, isPager := any(*new(T)).(interface{ More() bool }); isPager {
		return errors.New("lroazcore: the result is a runtime.Pager, which only azcore's poller can make")
	}
	const nowhere = "https://localhost/lroazcore"
	p, err := begin.resume(ctx, nowhere)
	if err != nil && err != errNotPassed { //nolint:errorlint // resume returns it unwrapped
		return fmt.Errorf("%w: %w", errNotPassed, err)
	}
	if err != nil {
		return err
	}
	if token, err := p.ResumeToken(); err != nil || !strings.Contains(token, nowhere) {
		return errNotPassed
	}
	return nil
}

// tokenTo returns an azcore token for the status at the given URL. azcore treats the URL as if it
// came from a Location header.
func tokenTo[T any](to string) (string, error) {
	p, err := runtime.NewPoller(nil, runtime.Pipeline{}, &runtime.NewPollerOptions[T]{Handler: location[T]{"loc", to, "InProgress"}})
	if err != nil {
		return "", err
	}
	return p.ResumeToken()
}

// A location marshals to the JSON that azcore's own Location handler stores in a token.
type location[T any] struct {
	Type  string `json:"type"`
	URL   string `json:"pollURL"`
	State string `json:"state"`
}

// Done returns false, because azcore creates tokens only for operations in progress.
func (location[T]) Done() bool { return false }

// Poll is never called, because azcore resumes from the token with its own handler.
func (location[T]) Poll(context.Context) (*http.Response, error) { return nil, errors.ErrUnsupported }

// Result is never called.
func (location[T]) Result(context.Context, *T) error { return errors.ErrUnsupported }

// withClientDefaults returns a copy of opts. It fills in an empty FinalStateVia or ResultPointer
// with the value that the client stored in p.
func withClientDefaults[T any](p *runtime.Poller[T], opts *poller.Options) *poller.Options {
	var o poller.Options
	if opts != nil {
		o = *opts
	}
	if p == nil {
		return &o
	}
	var t struct {
		Token struct {
			FinalState poller.FinalStateVia `json:"finalState"`
			ResultPath string               `json:"resultPath"`
		} `json:"token"`
	}
	if token, err := p.ResumeToken(); err != nil || json.Unmarshal([]byte(token), &t) != nil {
		return &o // the operation has ended, so azcore has no token to read the defaults from
	}
	if o.FinalStateVia == "" {
		o.FinalStateVia = t.Token.FinalState
	}
	if o.ResultPointer == "" && t.Token.ResultPath != "" {
		o.ResultPointer = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(t.Token.ResultPath)
	}
	return &o
}

// followFake follows an operation on an azcore fake server, whose protocol only azcore's poller
// understands.
func followFake[T any](p *runtime.Poller[T], opts *poller.Options) *poller.Poller[T] {
	var o poller.WatchOptions
	if opts != nil {
		o.Cadence = opts.Cadence
		o.Patience = opts.Patience
		o.Logger = opts.Logger
	}
	o.StatusOf = StatusOf

	read := func(ctx context.Context) (T, error) {
		_, err := p.Poll(ctx) //nolint:bodyclose // azcore has read the body
		if err != nil || !p.Done() {
			return *new(T), err
		}
		return p.Result(ctx)
	}
	judge := func(_ T, err error) (poller.Status, error) {
		if err != nil && (p.Done() || isTerminal(StatusOf(err))) {
			return poller.Status{State: poller.Failed}, err
		}
		if !p.Done() {
			return poller.Status{}, err
		}
		return poller.Status{State: poller.Succeeded}, nil
	}
	return poller.Watch(read, judge, &o)
}

// isTerminal reports whether an error from a fake server means that the operation has failed. A
// fake server has no other way to report the failure.
func isTerminal(e *lroerrors.StatusError) bool {
	if e == nil || e.StatusCode == http.StatusRequestTimeout || e.StatusCode == http.StatusTooManyRequests {
		return false
	}
	return e.StatusCode >= 400 && e.StatusCode < 500
}
