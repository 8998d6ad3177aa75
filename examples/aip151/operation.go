package main

import (
	"encoding/json"
	"errors"
	"strconv"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// An Operation follows a google.longrunning.Operation, the long-running operation
// of AIP-151. A protocol takes one pure function, and a second one if its operations
// can be canceled.
type Operation struct {
	Base string // of the names of operations: "/v1/"
}

var (
	_ poller.Strategy = Operation{}
	_ poller.Canceler = Operation{}
)

// A document is an operation as the service writes it, also in the response that
// starts it.
type document struct {
	Name     string // relative to the base, such as "projects/p/operations/op1"
	Done     bool
	Metadata json.RawMessage // of any type
	Response json.RawMessage // if it is done and succeeded
	Error    *struct {       // google.rpc.Status, if it is done and did not
		Code    int
		Message string
		Details json.RawMessage
	}
}

// canceled is google.rpc.Code CANCELLED.
const canceled = 1

// Step implements [poller.Strategy].
func (o Operation) Step(a poller.Answer) (poller.Move, error) {
	if a.Lost != "" {
		return poller.Move{}, nil // there is nothing else to read
	}
	var doc document
	switch err := json.Unmarshal(a.Body, &doc); {
	case a.Code < 200 || a.Code > 299:
		return poller.Move{}, poller.ErrNoStatus // the poller judges by the code
	case err != nil:
		return poller.Move{}, err
	case doc.Name == "" && a.First:
		return poller.Move{}, poller.ErrNotApplicable
	case doc.Name == "":
		return poller.Move{}, errors.New("an operation without a name")
	}
	mv := poller.Move{
		Status: poller.Status{Name: doc.Name, PercentComplete: doc.percent()},
		Poll:   o.Base + doc.Name,
		Inline: true, // a finished operation holds its result
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

// Cancel implements [poller.Canceler].
func (o Operation) Cancel(a poller.Answer) (*poller.Request, error) {
	return &poller.Request{Method: "POST", URL: a.Poll + ":cancel", Body: json.RawMessage(`{}`)}, nil
}

// percent returns the progress if the metadata has it as a number. Metadata of
// any other form must not cost the status.
func (d *document) percent() *float64 {
	var metadata struct{ ProgressPercent *float64 }
	_ = json.Unmarshal(d.Metadata, &metadata)
	return metadata.ProgressPercent
}

func (d *document) detail() *lroerrors.Detail {
	return &lroerrors.Detail{Code: strconv.Itoa(d.Error.Code), Message: d.Error.Message, InnerError: d.Error.Details}
}
