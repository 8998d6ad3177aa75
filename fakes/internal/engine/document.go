package engine

import (
	"net/http"
	"time"
)

// A Document is a status document, the JSON returned by an Azure-AsyncOperation URL (the contract,
// "Azure-AsyncOperation Resource format") or an Operation-Location URL.
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

// StatusDocument returns the document at op's Azure-AsyncOperation URL.
func (op *Operation) StatusDocument() Document {
	d := op.document()
	d.ID = op.Paths()[StatusURL]
	d.Name = op.ID
	d.StartTime = op.Start.UTC()
	d.EndTime = op.End.UTC()
	if op.Succeeded() {
		d.Properties = op.Plan.Result
	}
	return d
}

// monitorDocument returns the document at op's Operation-Location URL.
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

// document returns a Document with the members that both kinds of status documents share.
func (op *Operation) document() Document {
	d := Document{Status: op.Status(), Error: op.Failure, Operations: op.Plan.Operations}
	if op.Plan.Percent {
		percent := op.Percent(time.Now())
		d.PercentComplete = &percent
	}
	return d
}

// final returns the response to a GET of op's Location URL after op has ended. If op is
// synchronous, final returns its only response.
func (op *Operation) final() Answer {
	if op.Ending != Succeeded {
		return Failure(op.Plan.FailureCode, *op.Failure)
	}
	if op.Method == http.MethodPut || op.Method == http.MethodPatch {
		return JSON(op.WriteCode(), op.Result)
	}
	if op.Method == http.MethodDelete || op.Plan.Result == nil {
		return Answer{StatusCode: http.StatusNoContent}
	}
	return JSON(http.StatusOK, Encode(op.Plan.Result))
}
