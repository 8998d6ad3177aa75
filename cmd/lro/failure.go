package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// A failure is an error in machine-readable form. screen.tree prints it for people.
type failure struct {
	Exit          int     `json:"exit"`
	Text          string  `json:"text"`
	State         string  `json:"state,omitempty"`
	Word          string  `json:"word,omitempty"`
	Reason        string  `json:"reason,omitempty"`
	Request       string  `json:"request,omitempty"` // method and URL, without query
	StatusCode    int     `json:"statusCode,omitempty"`
	Attempts      int     `json:"attempts,omitempty"`
	RequestID     string  `json:"requestId,omitempty"`
	CorrelationID string  `json:"correlationId,omitempty"`
	Unanswered    bool    `json:"unanswered,omitempty"` // the service may have started the operation
	Detail        *detail `json:"detail,omitempty"`
	TokenFile     string  `json:"tokenFile,omitempty"`
	Resume        string  `json:"resume,omitempty"` // the command that resumes the wait
	Unsaved       string  `json:"unsaved,omitempty"`
	Advice        string  `json:"advice,omitempty"` // what to do about the failure

	cause    string    // the innermost reason, without the facts that the other fields hold
	nextPoll time.Time // when the next read is due; set if the wait was stopped
}

// A detail is the service's own error, redacted.
type detail struct {
	Code           string          `json:"code,omitempty"`
	Message        string          `json:"message,omitempty"`
	Target         string          `json:"target,omitempty"`
	Details        []detail        `json:"details,omitempty"`
	InnerError     json.RawMessage `json:"innererror,omitempty"`
	AdditionalInfo []additional    `json:"additionalInfo,omitempty"`
	MoreInfo       string          `json:"more_info,omitempty"`
	Trace          string          `json:"trace,omitempty"`
}

type additional struct {
	Type string          `json:"type,omitempty"`
	Info json.RawMessage `json:"info,omitempty"`
}

// newFailure collects the facts in err and in the errors that it wraps.
func newFailure(code int, err error) *failure {
	f := &failure{Exit: code, Text: err.Error(), Advice: advice(err), cause: err.Error()}
	if e, ok := errors.AsType[*resumable](err); ok {
		f.TokenFile, f.Resume = e.file, e.command
		if e.unsaved != nil {
			f.Unsaved = e.unsaved.Error()
		}
	}
	if e, ok := errors.AsType[*lroerrors.ResultError](err); ok && e.Err != nil {
		f.cause = e.Err.Error()
	}
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		f.State, f.Word, f.Reason, f.nextPoll = e.State, text(e.Word), string(e.Reason), e.NextPoll
		switch {
		case e.LastErr != nil:
			f.cause = e.LastErr.Error()
		case e.Reason == lroerrors.ReasonDeadline:
			f.cause = "the next read is due after --timeout"
		case e.Err != nil:
			f.cause = e.Err.Error()
		}
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		f.State, f.Word = e.State, text(e.Word)
		f.said(e.StatusCode, e.RequestID, e.CorrelationID, e.Detail)
	} else if e, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		f.Request, f.Attempts, f.Unanswered = strings.TrimSpace(e.Method+" "+e.URL), e.Attempts, e.Unanswered && code == exitRefused
		f.said(e.StatusCode, e.RequestID, e.CorrelationID, e.Detail)
		f.cause = ""
		if e.Err != nil {
			f.cause = e.Err.Error()
		}
	}
	if e, ok := errors.AsType[stopCause](err); ok {
		f.cause = e.text
	}
	f.cause = strings.TrimPrefix(f.cause, "lro: ")
	if f.Unanswered {
		f.Advice = "read the resource before you send the request again"
	}
	return f
}

// foreign finds the origin in the text of an ErrForeignOrigin.
var foreign = regexp.MustCompile(`(https?://[^\s/]+) is not an allowed origin`)

// advice returns a hint that names the flag that would have prevented err, or "" if there is none.
func advice(err error) string {
	switch {
	case errors.Is(err, lroerrors.ErrForeignOrigin):
		if m := foreign.FindStringSubmatch(err.Error()); m != nil {
			return "if you trust this origin, add --origin " + m[1]
		}
		return "if you trust the origin, allow it with --origin"
	case errors.Is(err, errCannotCancel):
		return "name one, such as --with 'DELETE URL' with the URL of what is created"
	case errors.Is(err, strategy.ErrNotApplicable):
		return "choose the protocol with --strategy; lro help strategies lists them"
	}
	return ""
}

// said stores what the service's response said: the status code, the IDs of the request and the
// service's own error.
func (f *failure) said(code int, request, correlation string, d *lroerrors.Detail) {
	f.StatusCode, f.RequestID, f.CorrelationID = code, text(request), text(correlation)
	if !d.IsZero() {
		own := newDetail(*d)
		f.Detail = &own
		f.cause = ""
	}
}

func newDetail(d lroerrors.Detail) detail {
	own := detail{
		Code: text(d.Code), Message: text(d.Message), Target: text(d.Target),
		InnerError: redacted(d.InnerError), MoreInfo: text(d.MoreInfo), Trace: text(d.Trace),
	}
	for _, sub := range d.Details {
		own.Details = append(own.Details, newDetail(sub))
	}
	for _, a := range d.AdditionalInfo {
		own.AdditionalInfo = append(own.AdditionalInfo, additional{text(a.Type), redacted(a.Info)})
	}
	return own
}

// redacted returns b, which is JSON from the service, with credentials redacted. If the result is
// not valid JSON, it is returned as a string.
func redacted(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	s := text(string(b))
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, _ := json.Marshal(s)
	return quoted
}

// headline summarizes the failure in a few words.
func (f *failure) headline() string {
	switch f.Exit {
	case exitFailed, exitCanceled:
		if f.State == "" {
			return f.cause // lro serve or lro demo failed
		}
		if f.Word != "" && !strings.EqualFold(f.Word, f.State) {
			return fmt.Sprintf("the operation ended as %s (%s)", f.State, f.Word)
		}
		return "the operation ended as " + f.State
	case exitResult:
		return "the operation succeeded, but its result could not be read"
	case exitStopped:
		if f.State == "" {
			return f.cause // lro was stopped while it read a listing, or before it sent anything
		}
		return "stopped waiting; the operation continues"
	case exitLost:
		return "the service accepted the operation, but " + f.lost()
	case exitRefused:
		return f.refused()
	}
	return f.cause
}

// lost says why the operation can no longer be followed.
func (f *failure) lost() string {
	switch lroerrors.Reason(f.Reason) {
	case lroerrors.ReasonPatience:
		return "its status could not be read for too long"
	case lroerrors.ReasonGone:
		return "no longer knows it"
	case lroerrors.ReasonUnfollowable:
		return "lro cannot follow it"
	}
	return "its status cannot be read"
}

func (f *failure) refused() string {
	switch {
	case f.Unanswered:
		return "the service may have started the operation, but did not confirm it"
	case f.Request == "":
		return f.cause
	case f.StatusCode >= http.StatusBadRequest:
		return "the service refused the request"
	case f.StatusCode != 0:
		return "the response could not be used"
	case f.Attempts == 0:
		return "the request could not be sent"
	}
	return "the request got no response"
}
