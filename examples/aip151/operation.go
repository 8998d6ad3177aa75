package main

import (
	"encoding/json"
	"errors"
	"strconv"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// Operation is the strategy for a google.longrunning.Operation, the long-running operation of
// AIP-151. Its logic is one pure function, Step. A second one, Cancel, is optional.
type Operation struct {
	Base string // the path before the name of an operation, such as "/v1/"
}

var (
	_ strategy.Strategy = Operation{}
	_ strategy.Canceler = Operation{}
)

// A document is the JSON form of an operation. The response that starts the operation
// has the same form.
type document struct {
	Name     string // relative to Base, such as "projects/p/operations/op1"
	Done     bool
	Metadata json.RawMessage // can be of any type
	Response json.RawMessage // set if the operation succeeded
	Error    *struct {       // a google.rpc.Status; set if the operation failed or was canceled
		Code    int
		Message string
		Details json.RawMessage
	}
}

// canceled is the google.rpc.Code CANCELLED.
const canceled = 1

// Step implements [strategy.Strategy].
func (o Operation) Step(a strategy.Answer) (strategy.Move, error) {
	if a.Lost != "" {
		return strategy.Move{}, nil // there is no other URL to read
	}
	if a.Code < 200 || a.Code > 299 {
		return strategy.Move{}, strategy.ErrNoStatus // the poller decides what to do, based on the status code
	}
	var doc document
	if err := json.Unmarshal(a.Body, &doc); err != nil {
		return strategy.Move{}, err
	}
	if doc.Name == "" && a.First {
		return strategy.Move{}, strategy.ErrNotApplicable
	}
	if doc.Name == "" {
		return strategy.Move{}, errors.New("an operation without a name")
	}

	mv := strategy.Move{
		Status: doc.status(),
		Poll:   o.Base + doc.Name,
		Inline: true, // a finished operation contains its result
	}
	if mv.Status.State == strategy.Succeeded {
		mv.Result.Body = doc.Response
	}
	return mv, nil
}

// status returns the status that the document reports.
func (d *document) status() strategy.Status {
	s := strategy.Status{State: strategy.InProgress, Name: d.Name, PercentComplete: d.percent()}
	if !d.Done {
		return s
	}
	if d.Error == nil {
		s.State = strategy.Succeeded
		return s
	}
	s.State = strategy.Failed
	if d.Error.Code == canceled {
		s.State = strategy.Canceled
	}
	s.Error = d.detail()
	return s
}

// Cancel implements [strategy.Canceler].
func (o Operation) Cancel(a strategy.Answer) (*strategy.Request, error) {
	return &strategy.Request{Method: "POST", URL: a.Poll + ":cancel", Body: json.RawMessage(`{}`)}, nil
}

// percent returns the progress, or nil if the metadata does not contain it as a number. It ignores
// errors, because the status must be readable even if the metadata has an unexpected form.
func (d *document) percent() *float64 {
	var metadata struct{ ProgressPercent *float64 }
	_ = json.Unmarshal(d.Metadata, &metadata)
	return metadata.ProgressPercent
}

func (d *document) detail() *lroerrors.Detail {
	return &lroerrors.Detail{Code: strconv.Itoa(d.Error.Code), Message: d.Error.Message, InnerError: d.Error.Details}
}
