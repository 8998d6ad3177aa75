package poller

import (
	"errors"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// What a token holds for Options.Confirm, CrossCheck and Repeat.

// tokenReadings are those of a check that said the same, one after the other.
type tokenReadings struct {
	State State `json:"state"`
	Count int   `json:"count"`
}

// tokenRepeat tells of the first request as it was sent again.
type tokenRepeat struct {
	Used    int           `json:"used,omitempty"`
	Ended   State         `json:"ended,omitempty"` // how the operation ended that is to be begun again
	Refused *tokenRefusal `json:"refused,omitempty"`

	Canceled bool `json:"canceled,omitempty"` // nothing is begun again
}

// tokenRefusal is why an operation was not begun again, the last time.
type tokenRefusal struct {
	Method        string            `json:"method,omitempty"`
	URL           string            `json:"url,omitempty"` // without query
	StatusCode    int               `json:"statusCode,omitempty"`
	Error         *lroerrors.Detail `json:"error,omitempty"`
	RequestID     string            `json:"requestId,omitempty"`
	CorrelationID string            `json:"correlationId,omitempty"`
	Why           string            `json:"why,omitempty"`
}

func makeTokenRefusal(e *lroerrors.StatusError) *tokenRefusal {
	if e == nil {
		return nil
	}
	t := &tokenRefusal{
		Method: e.Method, URL: e.URL, StatusCode: e.StatusCode, Error: e.Detail, RequestID: e.RequestID, CorrelationID: e.CorrelationID,
	}
	if e.Err != nil {
		t.Why = settled(e.Err.Error())
	}
	return t
}

// settled is a text as it is told, and the same when it is told again: where it was
// cut, what is left may look like something else to take out.
func settled(s string) string {
	const enough = 10 // each time takes out or cuts
	for range enough {
		told := wire.Text(s)
		if told == s {
			return s
		}
		s = told
	}
	return ""
}

func (t *tokenRefusal) statusError() *lroerrors.StatusError {
	if t == nil {
		return nil
	}
	e := &lroerrors.StatusError{
		Method: t.Method, URL: t.URL, StatusCode: t.StatusCode, Detail: t.Error, RequestID: t.RequestID, CorrelationID: t.CorrelationID,
	}
	if why := settled(t.Why); why != "" {
		e.Err = errors.New(why)
	}
	return e
}

// repeating reports whether the token is of an operation that is to be begun again.
func (t *token) repeating() bool { return t.Repeat != nil && t.Repeat.Ended != "" }

// addExtra adds what s holds for the options.
func (t *token) addExtra(s *state) {
	t.Confirming, t.Held = s.confirming(), s.Held
	if s.extra == nil {
		return
	}
	x := s.extras()
	if x.Count > 0 {
		t.Readings = &tokenReadings{x.Said, x.Count}
	}
	t.Began, t.Unread = x.Began.UTC(), x.Unread && s.Checking
	if x.Used > 0 || x.Ended != "" || x.Refused != nil || x.Canceled {
		t.Repeat = &tokenRepeat{x.Used, x.Ended, makeTokenRefusal(x.Refused), x.Canceled}
	}
}

func (t *token) extra() extra {
	x := extra{Began: t.Began, Unread: t.Unread}
	if r := t.Readings; r != nil {
		x.Said, x.Count = r.State, r.Count
	}
	if r := t.Repeat; r != nil {
		x.Used, x.Ended, x.Refused, x.Canceled = r.Used, r.Ended, r.Refused.statusError(), r.Canceled
	}
	return x
}

// checkExtra looks at it as check does.
func (t *token) checkExtra() error {
	if r := t.Readings; r != nil && (r.Count < 1 || !r.State.Terminal()) {
		return badToken("its readings cannot be counted")
	}
	if !storable(t.Began.UTC()) {
		return badToken("it began at no time")
	}
	going := t.Status.State == InProgress && t.First == nil
	if t.Confirming && !going {
		return badToken("it has told success, and something else")
	}
	r := t.Repeat
	if r == nil {
		return nil
	}
	if r.Used < 0 || r.Used > maxFailures {
		return badToken("its repeats cannot be counted")
	}
	if r.Ended != "" && (!going || t.Confirming || (r.Ended != Failed && r.Ended != Canceled)) {
		return badToken("it is to be begun again, and is not")
	}
	return nil
}

// trimUnconfirmed leaves out a large result in hand of an operation that is yet to
// be confirmed: it can be read again where it came from, unless that was the answer
// to the first request.
func (t *token) trimUnconfirmed() {
	if !t.Confirming || t.Result == nil || t.Result.URL != "" || t.Result.Error != "" {
		return
	}
	if t.From != t.Target || t.Method == "PUT" || t.Method == "PATCH" || t.Method == "GET" {
		t.Result, t.From = &tokenResult{URL: t.From}, ""
	}
}
