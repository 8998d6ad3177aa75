package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// A failure is an error for a program: what the last line of JSON has.
type failure struct {
	Exit          int     `json:"exit"`
	Text          string  `json:"text"`
	State         string  `json:"state,omitempty"`
	Word          string  `json:"word,omitempty"`
	Reason        string  `json:"reason,omitempty"`
	StatusCode    int     `json:"statusCode,omitempty"`
	RequestID     string  `json:"requestId,omitempty"`
	CorrelationID string  `json:"correlationId,omitempty"`
	Unanswered    bool    `json:"unanswered,omitempty"` // the service may have begun the operation all the same
	Detail        *detail `json:"detail,omitempty"`
	TokenFile     string  `json:"tokenFile,omitempty"`
	Resume        string  `json:"resume,omitempty"`
	Unkept        string  `json:"unkept,omitempty"`
}

// A detail is the service's own error, each text without what may be a
// credential.
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

// newFailure collects what err and the errors in it tell, the outermost first:
// an operation's failure, what ended a wait, and what the service said last.
func newFailure(code int, err error) *failure {
	f := &failure{Exit: code, Text: err.Error()}
	if e, ok := errors.AsType[*stopped](err); ok {
		f.TokenFile, f.Resume = e.file, e.command
		if e.unkept != nil {
			f.Unkept = e.unkept.Error()
		}
	}
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		f.State, f.Word, f.Reason = e.State, text(e.Word), string(e.Reason)
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		f.State, f.Word = e.State, text(e.Word)
		f.said(e.StatusCode, e.RequestID, e.CorrelationID, e.Detail)
	} else if e, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		f.said(e.StatusCode, e.RequestID, e.CorrelationID, e.Detail)
		f.Unanswered = code == exitRefused && e.StatusCode == 0 && e.Attempts > 0 && e.Method != http.MethodGet
	}
	return f
}

// said takes over what the service said.
func (f *failure) said(code int, request, correlation string, d *lroerrors.Detail) {
	f.StatusCode, f.RequestID, f.CorrelationID = code, text(request), text(correlation)
	if d != nil {
		own := newDetail(*d)
		f.Detail = &own
	}
}

func newDetail(d lroerrors.Detail) detail {
	own := detail{
		Code: text(d.Code), Message: text(d.Message), Target: text(d.Target),
		InnerError: withoutSecrets(d.InnerError), MoreInfo: text(d.MoreInfo), Trace: text(d.Trace),
	}
	for _, sub := range d.Details {
		own.Details = append(own.Details, newDetail(sub))
	}
	for _, a := range d.AdditionalInfo {
		own.AdditionalInfo = append(own.AdditionalInfo, additional{text(a.Type), withoutSecrets(a.Info)})
	}
	return own
}

// withoutSecrets returns JSON of a service without what may be a credential: as
// a string where it is no JSON any more.
func withoutSecrets(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	s := text(string(b))
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, _ := json.Marshal(s) // a string can be written always
	return quoted
}

// headline says in a few words what an exit code means.
func (f *failure) headline() string {
	switch f.Exit {
	case exitFailed, exitCanceled:
		line := "the operation ended " + f.State
		if f.Word != "" && !strings.EqualFold(f.Word, f.State) {
			line += fmt.Sprintf(" (%s)", f.Word)
		}
		return line
	case exitResult:
		return "the operation succeeded, and its result could not be read"
	case exitStopped:
		if f.State == "" {
			return "stopped" // within a listing, or before anything was sent
		}
		return "stopped waiting; the operation goes on without us"
	case exitLost:
		return "the operation was accepted, and can not be followed any further"
	case exitRefused:
		if f.Unanswered {
			return "no answer; the service may have begun it all the same: read the resource before you ask again"
		}
		return "the request was refused, or got no answer"
	}
	return f.reason()
}

// reason is the text of the error, for a line of its own.
func (f *failure) reason() string { return strings.TrimPrefix(f.Text, "lro: ") }
