package poller_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// describeEnding describes an outcome on one line, in a form that does not depend on the wording of
// errors. The type of the outermost error decides the form, as in a caller's type switch.
//
//	result {"id":"w1"}
//	no result
//	OperationError 200 Canceled "Cancelled": Preempted: a newer write won
//	ResultError: StatusError 403: Forbidden: not you
//	WaitError Patience InProgress "Running" after 10 polls: StatusError 503
//	StatusError 409: Conflict: busy
func describeEnding(v json.RawMessage, err error) string {
	if types := typesIn(err); len(types) > 1 {
		return fmt.Sprintf("an error with %v: %v", types, err)
	}
	switch e := err.(type) { //nolint:errorlint // only the outermost error matters
	case nil:
		if v == nil {
			return "no result"
		}
		var b bytes.Buffer
		_ = json.Compact(&b, v)
		return "result " + b.String()
	case *lroerrors.OperationError:
		return fmt.Sprintf("OperationError %d %s", e.StatusCode, e.State) + describeWord(e.Word, e.State) + describeDetail(e.Detail)
	case *lroerrors.ResultError:
		return "ResultError: " + describeCause(e.Err)
	case *lroerrors.WaitError:
		return fmt.Sprintf("WaitError %s %s%s after %d polls", e.Reason, e.State, describeWord(e.Word, e.State), e.Polls) +
			describePause(e) + describeLast(e.LastErr)
	}
	return describeCause(err)
}

func describeWord(word string, state poller.State) string {
	if word == "" || word == string(state) {
		return ""
	}
	return " " + strconv.Quote(word)
}

func describeDetail(d *lroerrors.Detail) string {
	if d == nil {
		return ""
	}
	return ": " + d.Error()
}

// describePause says who chose the pause that outlasts the deadline: the service or the poller.
func describePause(e *lroerrors.WaitError) string {
	switch {
	case e.Reason != lroerrors.ReasonDeadline:
		return ""
	case e.Asked:
		return ", the service's pause"
	}
	return ", our pause"
}

func describeLast(err *lroerrors.StatusError) string {
	if err == nil {
		return ""
	}
	return ": " + describeCause(err)
}

// describeCause describes a StatusError, or the error inside another error, such as the Err of a
// ResultError.
func describeCause(err error) string {
	if status, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // only the outermost error matters
		s := fmt.Sprintf("StatusError %d", status.StatusCode)
		if status.Err != nil {
			s += " " + describeCause(status.Err)
		}
		return s + describeDetail(status.Detail)
	}
	for cause, name := range map[error]string{
		lroerrors.ErrForeignOrigin: "foreign origin",
		lroerrors.ErrNoOperation:   "no operation",
		strategy.ErrNotApplicable:  "not applicable",
		io.ErrUnexpectedEOF:        "truncated",
		io.EOF:                     "no answer",
	} {
		if errors.Is(err, cause) {
			return "(" + name + ")"
		}
	}
	if strings.Contains(err.Error(), "no complete response") {
		return "(no answer in time)"
	}
	return "(unreadable)"
}
