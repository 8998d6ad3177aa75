package main

import (
	"encoding/json"
	"errors"
	"strconv"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// Operation is the strategy for a google.longrunning.Operation, the long-running operation of
// AIP-151. Its logic is one pure function, Step. A second one, Cancel, is optional.
type Operation struct {
	Base string // the path before the name of an operation, such as "/v1/"
}

var (
	_ poller.Strategy   = Operation{}
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

// Step implements [poller.Strategy].
func (o Operation) Step(a strategy.Answer) (strategy.Move, error) {
	if a.Lost != "" {
		return strategy.Move{}, nil // there is no other URL to read
	}
	var doc document
	switch err := json.Unmarshal(a.Body, &doc); {
	case a.Code < 200 || a.Code > 299:
		return strategy.Move{}, strategy.ErrNoStatus // the poller decides what to do, based on the status code
	case err != nil:
		return strategy.Move{}, err
	case doc.Name == "" && a.First:
		return strategy.Move{}, strategy.ErrNotApplicable
	case doc.Name == "":
		return strategy.Move{}, errors.New("an operation without a name")
	}
	mv := strategy.Move{
		Status: poller.Status{Name: doc.Name, PercentComplete: doc.percent()},
		Poll:   o.Base + doc.Name,
		Inline: true, // a finished operation contains its result
	}
	switch {
	case !doc.Done:
		mv.Status.State = poller.InProgress
	case doc.Error == nil:
		mv.Status.State, mv.Result.Body = poller.Succeeded, doc.Response
	case doc.Error.Code == canceled:
		mv.Status.State, mv.Status.Error = poller.Canceled, doc.detail()
	default:
		mv.Status.State, mv.Status.Error = poller.Failed, doc.detail()
	}
	return mv, nil
}

// Cancel implements [strategy.Canceler].
func (o Operation) Cancel(a strategy.Answer) (*poller.Request, error) {
	return &poller.Request{Method: "POST", URL: a.Poll + ":cancel", Body: json.RawMessage(`{}`)}, nil
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
