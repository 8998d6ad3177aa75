package engine

import (
	"net/http"
	"strconv"
	"time"
)

// Poll answers a GET of a URL of q.Op.
func (s *Service) Poll(q *Request) Answer {
	op := q.Op
	s.Settle(op)
	if op.Running() {
		op.polls++
		op.lastPoll = time.Now()
	} else {
		op.Reported = true
	}
	a := s.Dialect.Look(s, q)
	if op.Running() {
		op.SetRetryAfter(a)
		s.Settle(op) // end the operation if this was the last poll that reports progress
	}
	return a
}

// Look returns the response to a GET of one of the URLs of q.Op.
func (d ARM) Look(s *Service, q *Request) Answer {
	op := q.Op
	switch q.View {
	case StatusURL:
		return JSON(http.StatusOK, Encode(op.StatusDocument()))
	case MonitorURL:
		return JSON(http.StatusOK, Encode(op.monitorDocument()))
	case ResultURL:
		if !op.Running() {
			return op.final()
		}
		a := Answer{StatusCode: http.StatusAccepted, Header: make(http.Header)}
		a.Header.Set("Location", op.First.Link(op.Paths[ResultURL]))
		return a
	}
	// Do not call s.Read here: it would settle the operation, and the last poll
	// that should report progress would report the end instead.
	if res := s.Resources[Key(op.Target)]; res != nil && op.Running() {
		return JSON(http.StatusOK, d.Show(s, res, op, q.Base))
	}
	return s.Read(q)
}

// SetRetryAfter adds the Retry-After of the plan to a. Its value is in seconds,
// the only form that the contract defines, unless the plan asks for a date.
func (op *Operation) SetRetryAfter(a Answer) {
	switch d := op.Plan.RetryAfter; {
	case d <= 0 || op.Plan.OwnPause:
	case op.Plan.RetryAfterDate:
		at := time.Now().Add(d + time.Second - 1) // round up, because a date has no fractions of a second
		a.Header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	default:
		a.Header.Set("Retry-After", Seconds(d))
	}
}

// Seconds returns d in whole seconds, rounded up.
func Seconds(d time.Duration) string { return strconv.FormatInt(WholeSeconds(d), 10) }

// WholeSeconds returns d in whole seconds, rounded up.
func WholeSeconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}

// final returns the response of a synchronous operation that ended the way op
// did.
func (op *Operation) final() Answer {
	if op.Ending != Succeeded {
		return Failure(op.Plan.FailureCode, op.Failure)
	}
	switch {
	case op.Method == http.MethodPut || op.Method == http.MethodPatch:
		return JSON(op.WriteCode(), op.Result)
	case op.Method == http.MethodDelete || op.Plan.Result == nil:
		return Answer{StatusCode: http.StatusNoContent}
	}
	return JSON(http.StatusOK, Encode(op.Plan.Result))
}

// A Document is a status document, in the format of Azure-AsyncOperation (the
// contract, "Azure-AsyncOperation Resource format") or of Operation-Location.
type Document struct {
	ID               string    `json:"id"`
	Name             string    `json:"name,omitempty"`
	Status           string    `json:"status"`
	StartTime        time.Time `json:"startTime,omitzero"`
	EndTime          time.Time `json:"endTime,omitzero"`
	PercentComplete  *float64  `json:"percentComplete,omitempty"`
	Properties       any       `json:"properties,omitempty"`
	Error            *Error    `json:"error,omitempty"`
	Operations       []Nested  `json:"operations,omitempty"`
	ResourceLocation string    `json:"resourceLocation,omitempty"`
	Result           any       `json:"result,omitempty"`
}

// StatusDocument returns the document at the Azure-AsyncOperation URL of op.
func (op *Operation) StatusDocument() Document {
	d := op.document()
	d.ID, d.Name = op.Paths[StatusURL], op.ID
	d.StartTime, d.EndTime = op.Start.UTC(), op.End.UTC()
	if op.Succeeded() {
		d.Properties = op.Plan.Result
	}
	return d
}

func (op *Operation) monitorDocument() Document {
	d := op.document()
	d.ID = op.ID
	if !op.Succeeded() {
		return d
	}
	switch op.Method {
	case http.MethodPut, http.MethodPatch:
		d.ResourceLocation = op.First.Link(op.Target)
	default:
		d.Result = op.Plan.Result
	}
	return d
}

// document returns the members that both kinds of status document have.
func (op *Operation) document() Document {
	d := Document{Status: op.Status(), Operations: op.Plan.Operations}
	if op.Plan.Percent {
		percent := op.Percent(time.Now())
		d.PercentComplete = &percent
	}
	if !op.Running() && op.Ending != Succeeded {
		d.Error = &op.Failure
	}
	return d
}

// Succeeded reports whether op has ended in success.
func (op *Operation) Succeeded() bool { return !op.Running() && op.Ending == Succeeded }

// Cancel cancels q.Op. If the operation has already ended, a POST is refused,
// but a DELETE still succeeds.
func (ARM) Cancel(s *Service, q *Request) Answer {
	s.Settle(q.Op)
	wasRunning := q.Op.Running()
	if wasRunning {
		s.End(q.Op, Canceled, Error{}, time.Now())
	}
	switch {
	case q.Method == http.MethodDelete:
		return Answer{StatusCode: http.StatusNoContent}
	case wasRunning:
		return Answer{StatusCode: http.StatusAccepted}
	}
	return Failure(http.StatusConflict, Error{Code: "OperationNotCancelable", Message: "The operation has ended: " + q.Op.Status()})
}
