package fakes

import (
	"net/http"
	"strconv"
	"time"
)

// poll answers a GET of one of the URLs of q.op.
func (s *Service) poll(q *question) Answer {
	op := q.op
	s.settle(op)
	if op.running() {
		op.polls++
		op.lastPoll = time.Now()
	} else {
		op.told = true
	}
	a := s.speech().look(s, q)
	if op.running() {
		op.hint(a)
		s.settle(op) // this may have been the last poll in progress
	}
	return a
}

// look returns the response of one URL of an operation.
func (d arm) look(s *Service, q *question) Answer {
	op := q.op
	switch q.view {
	case statuses:
		return jsonAnswer(http.StatusOK, encode(op.statusDocument()))
	case monitors:
		return jsonAnswer(http.StatusOK, encode(op.monitorDocument()))
	case results:
		if !op.running() {
			return op.final()
		}
		a := Answer{StatusCode: http.StatusAccepted, Header: make(http.Header)}
		a.Header.Set("Location", op.begun.link(op.paths[results]))
		return a
	}
	// s.read would settle the operation, and so report the end in the last poll
	// that should report progress.
	if res := s.resources[key(op.target)]; res != nil && op.running() {
		return jsonAnswer(http.StatusOK, d.show(s, res, op, q.base))
	}
	return s.read(q)
}

// hint adds Retry-After in seconds, the only form in the contract.
// LastOperation has the pause in the body instead.
func (op *operation) hint(a Answer) {
	switch d := op.plan.RetryAfter; {
	case d <= 0 || op.plan.Style&LastOperation != 0:
	case op.plan.RetryAfterDate:
		at := time.Now().Add(d + time.Second - 1) // a date has whole seconds, too
		a.Header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	default:
		a.Header.Set("Retry-After", seconds(d))
	}
}

// seconds returns d in whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.FormatInt(wholeSeconds(d), 10) }

func wholeSeconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}

// final returns the response of a synchronous operation with the ending of op.
func (op *operation) final() Answer {
	if op.ending != Succeeded {
		return failure(op.plan.FailureCode, op.failure)
	}
	switch {
	case op.method == http.MethodPut || op.method == http.MethodPatch:
		return jsonAnswer(op.writeCode(), op.result)
	case op.method == http.MethodDelete || op.plan.Result == nil:
		return Answer{StatusCode: http.StatusNoContent}
	}
	return jsonAnswer(http.StatusOK, encode(op.plan.Result))
}

// A document is a status document: of Azure-AsyncOperation as in the contract
// ("Azure-AsyncOperation Resource format"), or of Operation-Location.
type document struct {
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

func (op *operation) statusDocument() document {
	d := op.document()
	d.ID, d.Name = op.paths[statuses], op.id
	d.StartTime, d.EndTime = op.start.UTC(), op.end.UTC()
	if op.done() {
		d.Properties = op.plan.Result
	}
	return d
}

func (op *operation) monitorDocument() document {
	d := op.document()
	d.ID = op.id
	if !op.done() {
		return d
	}
	switch op.method {
	case http.MethodPut, http.MethodPatch:
		d.ResourceLocation = op.begun.link(op.target)
	default:
		d.Result = op.plan.Result
	}
	return d
}

// document returns the members that both kinds of status documents have.
func (op *operation) document() document {
	d := document{Status: op.status(), Operations: op.plan.Operations}
	if op.plan.Percent {
		percent := op.percent(time.Now())
		d.PercentComplete = &percent
	}
	if !op.running() && op.ending != Succeeded {
		d.Error = &op.failure
	}
	return d
}

func (op *operation) done() bool { return !op.running() && op.ending == Succeeded }

// cancel cancels q.op. If the operation has already ended, a POST is refused,
// while a DELETE is idempotent.
func (arm) cancel(s *Service, q *question) Answer {
	s.settle(q.op)
	wasRunning := q.op.running()
	if wasRunning {
		s.end(q.op, Canceled, Error{}, time.Now())
	}
	switch {
	case q.method == http.MethodDelete:
		return Answer{StatusCode: http.StatusNoContent}
	case wasRunning:
		return Answer{StatusCode: http.StatusAccepted}
	}
	return failure(http.StatusConflict, Error{Code: "OperationNotCancelable", Message: "The operation has ended: " + q.op.status()})
}
