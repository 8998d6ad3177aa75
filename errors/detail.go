package errors

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxListed bounds how many details a text lists.
const maxListed = 5

// A Detail is one error in a service's own words: the OData v4 error of ARM
// (resource provider API v2.0, "Error Response Content"), the error model of
// IBM Cloud, or what a service sends in their place. Any field may be empty; the
// zero Detail stands for an error without a body.
//
// Our errors hold a *Detail. Ask for that: AsType of the value compiles, because it
// is an error too, and finds nothing.
//
//	if d, ok := errors.AsType[*lroerrors.Detail](err); ok && d.Code == "QuotaExceeded" {
//
// That finds the outermost one, which has the others in its Details.
type Detail struct {
	Code    string `json:"code,omitempty"`    // invariant, fit for a switch; a number is kept as its text
	Message string `json:"message,omitempty"` // for people; the bounded raw body where it has no better text
	Target  string `json:"target,omitempty"`  // what the error is about, such as the name of a property

	Details        []Detail         `json:"details,omitempty"`
	InnerError     json.RawMessage  `json:"innererror,omitempty"` // as the service sent it, without white space
	AdditionalInfo []AdditionalInfo `json:"additionalInfo,omitempty"`

	MoreInfo string `json:"more_info,omitempty"` // a page about the error (IBM Cloud)
	Trace    string `json:"trace,omitempty"`     // the service's id of the request (IBM Cloud)
}

// AdditionalInfo is a service-defined addition to a [Detail] (ARM common types,
// ErrorAdditionalInfo). One of another form is kept whole as the Info.
type AdditionalInfo struct {
	Type string          `json:"type,omitempty"`
	Info json.RawMessage `json:"info,omitempty"`
}

// Error returns code, message, target and the first details on one line.
func (d Detail) Error() string {
	head, details := d.head(), d.listed()
	switch {
	case details == "" && head == "":
		return "no error detail"
	case details == "":
		return head
	case head == "":
		return details
	}
	return fmt.Sprintf("%s (%s)", head, details)
}

func (d Detail) head() string {
	var parts []string
	for _, s := range []string{d.Code, d.Message} {
		if s = oneLine(s); s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ": ")
	if target := oneLine(d.Target); target != "" {
		s += fmt.Sprintf(" (target %s)", target)
	}
	return cut(strings.TrimSpace(s), 2*maxText)
}

// listed returns the texts of the first details.
func (d Detail) listed() string {
	var list []string
	for _, sub := range d.Details[:min(len(d.Details), maxListed)] {
		list = append(list, cut(sub.Error(), maxText/maxListed))
	}
	if more := len(d.Details) - maxListed; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// Unwrap returns the details, so that errors.As reaches each of them.
func (d Detail) Unwrap() []error {
	errs := make([]error, len(d.Details))
	for i := range d.Details {
		errs[i] = &d.Details[i]
	}
	return errs
}

// IsZero reports whether the service said nothing at all.
func (d Detail) IsZero() bool {
	return d.Code == "" && d.Message == "" && d.Target == "" && d.MoreInfo == "" && d.Trace == "" &&
		len(d.Details) == 0 && len(d.InnerError) == 0 && len(d.AdditionalInfo) == 0
}
