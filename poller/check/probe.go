package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// A Check specifies what [Confirm] and [CrossCheck] read in addition to the status. The zero Check
// reads the resource.
type Check struct {
	// URL is the URL to GET; by default, the URL of the first request. A relative URL is resolved
	// against the URL of the first request. The origin must be the first request's origin or one of
	// Options.Origins.
	URL string

	// State returns the meaning of a response. It receives each complete response that is a 404, a
	// 410, or a 2xx with JSON (a 202 or 204 may have no body). Any other response is a failed read.
	// Like a [strategy.Strategy]'s Step method, it must be a pure function.
	//
	// By default, the resource's provisioningState decides: a resource without one means Succeeded,
	// and a 404 means InProgress. For a DELETE, a 404 or 410 means Succeeded, and any 2xx means
	// InProgress.
	State func(strategy.Answer) strategy.State

	// Times is the number of consecutive reads that must agree on how the operation ended; 1 by
	// default. Increase it if a service's replicas disagree (quirks W28 to W32 need 3 to 20). A
	// failed read does not change the count.
	Times int

	// Delay is the pause before [Confirm]'s first read, for documents that are stale at first
	// (quirk W32: 10 minutes). It is at most 24 hours; none by default. Poll, WakeUp and deadlines
	// do not shorten it. CrossCheck ignores Delay.
	Delay time.Duration

	// After is how long the operation may run before [CrossCheck] considers it overdue. From then
	// on, the poller reads the check after each status that shows the operation in progress. If the
	// check shows that the operation has ended, the wait ends with that outcome. If not, the check
	// changes nothing (quirks W17, W18, W20 and W39). No limit by default. Confirm ignores After.
	After time.Duration
}

// String describes the check without its URL's query.
func (c Check) String() string {
	return fmt.Sprintf("{URL:%s State:%t Times:%d Delay:%s After:%s}", redact.RawURL(c.URL), c.State != nil, c.Times, c.Delay, c.After)
}

// An answer contains the two arguments of a Wrapper's StepIn method.
type answer struct {
	strategy.Answer
	strategy.Situation
}

// A move contains the two results of a Wrapper's StepIn method, apart from the error.
type move struct {
	strategy.Move
	strategy.Detour
}

// A probe is the part that [Confirm] and [CrossCheck] share: a strategy and the check that they add
// to it, usually a read of the resource.
type probe struct {
	inner strategy.Strategy
	url   string                               // may be relative to the first request's URL; "" means that URL itself
	state func(strategy.Answer) strategy.State // nil for the default; see Check.State
	times int                                  // number of consecutive reads that must agree
}

func newProbe(s strategy.Strategy, c Check) probe {
	return probe{inner: s, url: c.URL, state: c.State, times: max(c.Times, 1)}
}

// Validate returns an error if the strategy is missing, or if the check's URL cannot be resolved.
// It also calls the inner strategy's Validate method.
func (k probe) Validate() error {
	if k.inner == nil {
		return errors.New("lro: Confirm and CrossCheck of package check need a strategy; the functions of package poller have a default")
	}

	example := strategy.Answer{URL: "https://host/"}
	if _, err := example.Resolve(k.url); err != nil {
		return errors.New("lro: the URL of a Check cannot be parsed, or has no host")
	}

	if inner, ok := k.inner.(interface{ Validate() error }); ok {
		return inner.Validate()
	}
	return nil
}

// String names the inner strategy. It omits the URL, whose query may be secret.
func (k probe) String() string {
	if inner, ok := k.inner.(interface{ ProtocolName() string }); ok {
		return "a check around " + redact.Text(inner.ProtocolName())
	}
	return fmt.Sprintf("a check around %T", k.inner)
}

// next passes a response to the inner strategy.
func (k probe) next(a answer) (mv move, err error) {
	mv.Move, mv.Detour, err = StepIn(k.inner, a.Answer, a.Situation)
	return mv, err
}

// StepIn calls s.StepIn if s is a [strategy.Wrapper], and s.Step otherwise. Use it in a strategy
// that wraps s. If in.Lost is set and s is not a Wrapper, StepIn does not call s, because only a
// Wrapper can name a different URL to read.
func StepIn(s strategy.Strategy, a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	if w, ok := s.(strategy.Wrapper); ok {
		return w.StepIn(a, in)
	}
	if in.Lost != "" {
		return strategy.Move{}, strategy.Detour{}, nil
	}
	mv, err := s.Step(a)
	return mv, strategy.Detour{}, err
}

// cancel returns the inner strategy's cancel request, or nil if that strategy cannot cancel
// operations.
func (k probe) cancel(a strategy.Answer) (*strategy.Request, error) {
	c, ok := k.inner.(strategy.Canceler)
	if !ok {
		return nil, nil
	}
	return c.Cancel(a)
}

// ReadsServerError implements [strategy.ServerErrorReader]. It calls the inner strategy's method,
// and returns false if there is none.
func (k probe) ReadsServerError(code int) bool {
	reader, ok := k.inner.(strategy.ServerErrorReader)
	return ok && reader.ReadsServerError(code)
}

// target returns the probe's absolute URL, or "" if it is unknown.
func (k probe) target(a *answer) string {
	if k.url == "" {
		return a.Target
	}
	to, _ := strategy.Answer{URL: a.Target}.Resolve(k.url)
	return to
}

// read interprets a response to the probe. It returns an error if the response reports no status.
func (k probe) read(a answer) (strategy.Status, error) {
	if !isSuccess(a.Code) && !isMissing(a.Code) {
		return strategy.Status{}, strategy.ErrNoStatus
	}

	if k.state != nil {
		return k.ask(a.Answer)
	}
	if a.Method == http.MethodDelete {
		return readDeletion(a.Answer), nil
	}
	return readResource(a.Answer)
}

// readDeletion returns the status of a deletion, which has succeeded when the resource is gone.
func readDeletion(a strategy.Answer) strategy.Status {
	if isMissing(a.Code) {
		return strategy.Status{State: strategy.Succeeded}
	}
	return strategy.Status{State: strategy.InProgress}
}

func isMissing(code int) bool {
	switch code {
	case http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

func isSuccess(code int) bool { return code/100 == 2 }

// readResource returns the status of a resource. A 404 means InProgress, because the resource may
// still appear.
func readResource(a strategy.Answer) (strategy.Status, error) {
	a.First = false
	switch a.Code {
	case http.StatusNotFound:
		return strategy.Status{State: strategy.InProgress}, nil
	case http.StatusAccepted:
		return document.Progress(&a), nil
	case http.StatusNoContent:
		return strategy.Status{State: strategy.Succeeded}, nil
	case http.StatusOK, http.StatusCreated:
		return document.ResourceStatus(&a)
	}
	return strategy.Status{}, strategy.ErrNoStatus
}

// ask calls the caller's Check.State. It rejects a body that may come from a gateway, because
// Check.State might mistake it for a success.
func (k probe) ask(a strategy.Answer) (strategy.Status, error) {
	if err := checkBody(&a); err != nil {
		return strategy.Status{}, err
	}

	s := strategy.Status{State: k.state(a)}
	switch s.State {
	case strategy.Failed, strategy.Canceled:
		doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
		s.Detail = doc.Detail(&a, s.State)
	}
	return s, nil
}

// checkBody returns an error if the body of a 2xx is not JSON. Only a 202 or 204 may have no body.
func checkBody(a *strategy.Answer) error {
	if !isSuccess(a.Code) || json.Valid(a.Body) {
		return nil
	}
	if !jsonread.IsEmpty(a.Body) {
		return strategy.ErrNotJSON
	}

	switch a.Code {
	case http.StatusNoContent, http.StatusAccepted:
		return nil
	}
	return errors.New("the body is empty")
}

// isResult reports whether the response to a probe can be the result. A 404 cannot, even if
// Check.State interprets it as Succeeded.
func isResult(a *answer) bool {
	if !isSuccess(a.Code) || a.Code == http.StatusAccepted {
		return false
	}

	return json.Valid(a.Body) // false for an empty body
}

// maxCount limits an agreement's Count so that a forged token cannot make it overflow.
const maxCount = 1 << 30

// An agreement counts the consecutive reads of a probe that agree on how the operation ended.
type agreement struct {
	State strategy.State `json:"said,omitempty"`
	Count int            `json:"count,omitempty"`
}

// add counts a read and reports whether enough consecutive reads agree.
func (g *agreement) add(s strategy.State, times int) bool {
	if !s.Terminal() {
		*g = agreement{}
		return false
	}

	if s != g.State {
		*g = agreement{State: s}
	}
	g.Count = min(g.Count, maxCount) + 1
	if g.Count < times {
		return false
	}

	*g = agreement{}
	return true
}

// marshalMemo encodes a confirmMemo or a crossMemo. If the inner memo is not JSON, neither is the
// result, and the poller rejects it.
func marshalMemo(m any) json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage("not JSON")
	}
	return b
}
