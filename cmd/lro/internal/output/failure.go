package output

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A Failure is an error in machine-readable form. Its tree method renders it as text for people.
type Failure struct {
	Exit           int     `json:"exit"`
	Text           string  `json:"text"`
	State          string  `json:"state,omitempty"`
	Word           string  `json:"word,omitempty"`
	Reason         string  `json:"reason,omitempty"`
	Request        string  `json:"request,omitempty"` // method and URL, without the query
	StatusCode     int     `json:"statusCode,omitempty"`
	Attempts       int     `json:"attempts,omitempty"`
	RequestID      string  `json:"requestId,omitempty"`
	CorrelationID  string  `json:"correlationId,omitempty"`
	MayHaveStarted bool    `json:"mayHaveStarted,omitempty"`
	Detail         *detail `json:"detail,omitempty"`
	TokenFile      string  `json:"tokenFile,omitempty"`
	Resume         string  `json:"resume,omitempty"` // the command that resumes the wait
	Unsaved        string  `json:"unsaved,omitempty"`
	Advice         string  `json:"advice,omitempty"`

	target     string // the name of the target that failed; "" if there is only one target
	isResource bool   // whether lro read a resource rather than an operation's status
	isSummary  bool   // whether the failure only summarizes failures that have already been printed

	cause    string    // the innermost cause; "" if the other fields say enough
	nextPoll time.Time // when the next read is due; shown only if the wait was stopped
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

// newFailure collects the facts in err and in the errors that err wraps. The cause comes from a
// StopError, if there is one, and otherwise from the innermost error.
func newFailure(code int, err error) *Failure {
	f := &Failure{Exit: code, Text: err.Error(), Advice: advice(err), cause: err.Error()}
	if e, ok := errors.AsType[*ResumableError](err); ok {
		f.addResumable(e)
	}
	if e, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		f.addResult(e)
	}
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		f.addWait(e)
	}
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		f.addOperation(e)
	}
	if e, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		f.addStatus(e)
	}
	if e, ok := errors.AsType[StopError](err); ok {
		f.cause = e.Text
	}
	f.isResource = wraps[ResourceError](err)
	f.isSummary = wraps[SeveralError](err)
	f.cause = withoutPrefix(f.cause)
	f.MayHaveStarted = code == ExitRefused && poller.MayHaveStarted(err) && !wraps[CancelError](err) && !f.isResource
	if f.MayHaveStarted {
		f.Advice = "read the resource before you send the request again"
	}
	return f
}

// withoutPrefix removes the module's prefix, "lro: ", from the text of an error. A file name may
// come before the prefix.
func withoutPrefix(s string) string {
	return strings.Replace(strings.TrimPrefix(s, "lro: "), ": lro: ", ": ", 1)
}

func (f *Failure) addResumable(e *ResumableError) {
	f.TokenFile = e.TokenFile
	f.Resume = e.Command
	if e.Unsaved != nil {
		f.Unsaved = e.Unsaved.Error()
	}
}

func (f *Failure) addResult(e *lroerrors.ResultError) {
	if e.Err == nil {
		return
	}
	f.cause = e.Err.Error()
	if request, ok := errors.AsType[*lroerrors.StatusError](e.Err); ok {
		f.addStatus(request)
	}
}

func (f *Failure) addWait(e *lroerrors.WaitError) {
	f.State = string(e.State)
	f.Word = Clean(e.Word)
	f.Reason = string(e.Reason)
	f.nextPoll = e.NextPoll
	if e.LastErr != nil {
		f.cause = e.LastErr.Error()
		f.addStatus(e.LastErr)
		return
	}
	if e.Reason == lroerrors.ReasonDeadline {
		f.cause = "the next read is due after --timeout"
		return
	}
	if e.Err != nil {
		f.cause = e.Err.Error()
	}
}

func (f *Failure) addOperation(e *lroerrors.OperationError) {
	f.State = string(e.State)
	f.Word = Clean(e.Word)
	f.addResponse(e.StatusCode, e.RequestID, e.CorrelationID)
	f.addDetail(e.Detail)
}

func (f *Failure) addStatus(e *lroerrors.StatusError) {
	f.Request = strings.TrimSpace(e.Method + " " + e.URL)
	f.Attempts = e.Attempts
	f.addResponse(e.StatusCode, e.RequestID, e.CorrelationID)
	f.addDetail(e.Detail)
	f.cause = ""
	if e.Err != nil {
		f.cause = e.Err.Error()
	}
}

func (f *Failure) addResponse(code int, request, correlation string) {
	f.StatusCode = code
	f.RequestID = Clean(request)
	f.CorrelationID = Clean(correlation)
}

// addDetail stores the service's own error, if any, and clears the cause, because the service's
// error says more.
func (f *Failure) addDetail(d *lroerrors.Detail) {
	if d.IsZero() {
		return
	}
	own := newDetail(*d)
	f.Detail = &own
	f.cause = ""
}

// foreign finds the origin in the text of an error that wraps ErrForeignOrigin.
var foreign = regexp.MustCompile(`(https?://[^\s/]+) is not an allowed origin`)

// ForeignOrigin returns the origin that must be allowed to avoid err, or "" if err names no such
// origin.
func ForeignOrigin(err error) string {
	if !errors.Is(err, lroerrors.ErrForeignOrigin) {
		return ""
	}
	m := foreign.FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	return m[1]
}

// advice returns a hint on how to avoid err, such as a flag to add, or "" if there is none.
func advice(err error) string {
	if origin := ForeignOrigin(err); origin != "" {
		return "if you trust this origin, add --origin " + origin
	}
	if errors.Is(err, lroerrors.ErrForeignOrigin) {
		return "if you trust the origin, allow it with --origin"
	}
	if e, ok := errors.AsType[UsageError](err); ok && e.Advice != "" {
		return e.Advice
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok && wait.Reason == lroerrors.ReasonGone && wraps[ResourceError](err) {
		return "to wait until a resource is deleted, use lro wait --deleted"
	}
	if errors.Is(err, strategy.ErrNotApplicable) {
		return "choose the protocol with --strategy; lro help strategies lists them"
	}
	return ""
}

func newDetail(d lroerrors.Detail) detail {
	own := detail{
		Code:       Clean(d.Code),
		Message:    Clean(d.Message),
		Target:     Clean(d.Target),
		InnerError: redacted(d.InnerError),
		MoreInfo:   Clean(d.MoreInfo),
		Trace:      Clean(d.Trace),
	}
	for _, sub := range d.Details {
		own.Details = append(own.Details, newDetail(sub))
	}
	for _, a := range d.AdditionalInfo {
		own.AdditionalInfo = append(own.AdditionalInfo, additional{Clean(a.Type), redacted(a.Info)})
	}
	return own
}

// redacted shortens JSON from the service, and removes credentials. If the result is not valid
// JSON, redacted returns it as a JSON string.
func redacted(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	s := Clean(string(b))
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	quoted, _ := json.Marshal(s)
	return quoted
}
