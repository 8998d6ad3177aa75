package errors

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lro-go/lro/internal/redact"
)

// maxListed is the maximum number of details that an error's text lists.
const maxListed = 5

// A Detail is an error as the service reported it: an OData v4 error from ARM (resource provider
// API v2.0, "Error Response Content"), an error from IBM Cloud, or an error in any other form. Any
// field may be empty.
//
// In errors from this module, each string field of a Detail is cut to 1 kB, and text that looks
// like a credential is masked. UnmarshalJSON alone guarantees neither. A program can act on the
// code:
//
//	if d, ok := errors.AsType[*lroerrors.Detail](err); ok && d.Code == "QuotaExceeded" {
//
// AsType finds the outermost Detail, whose Details contain the others.
//
// A nil *Detail means that the service reported no error. Like any other Detail, it can be printed
// and passed to errors.Is and errors.As.
type Detail struct {
	Code    string `json:"code,omitempty"`    // stable, so programs can act on it; a numeric code becomes a string
	Message string `json:"message,omitempty"` // meant for people; an excerpt of the body if the service sent no message
	Target  string `json:"target,omitempty"`  // what the error is about, such as a property name

	Details        []Detail         `json:"details,omitempty"`
	InnerError     json.RawMessage  `json:"innererror,omitempty"` // the service's JSON without white space and with credentials masked
	AdditionalInfo []AdditionalInfo `json:"additionalInfo,omitempty"`

	MoreInfo string `json:"more_info,omitempty"` // URL of a page about the error (IBM Cloud)
	Trace    string `json:"trace,omitempty"`     // the service's ID for the request (IBM Cloud, ASP.NET Core)
}

// AdditionalInfo is service-defined information in a [Detail] (ARM common types,
// ErrorAdditionalInfo). If the service sent another form, all of it is in Info.
type AdditionalInfo struct {
	Type string          `json:"type,omitempty"`
	Info json.RawMessage `json:"info,omitempty"`
}

// Error returns one line with the code, message, target and first few details.
func (d *Detail) Error() string {
	if d == nil {
		return noDetail
	}
	return joined(d.head(redact.MaxText), d.listed(2*redact.MaxText))
}

// noDetail is the text of a Detail without a code, message, target or details.
const noDetail = "no error detail"

// brief returns the text of a nested detail, cut to about limit bytes.
func (d *Detail) brief(limit int) string {
	head := d.head(limit)
	return joined(head, d.listed(limit-len(head)))
}

func joined(head, details string) string {
	if head != "" && details != "" {
		return fmt.Sprintf("%s (%s)", head, details)
	}
	return cmp.Or(head, details, noDetail)
}

// head returns the code, message and target of d, each cut to limit bytes, and to 2*limit bytes in
// total. It first cuts each string to 2*limit bytes, because masking credentials in a long string
// is slow.
func (d *Detail) head(limit int) string {
	text := func(s string) string { return redact.Cut(redact.Text(redact.Cut(s, 2*limit)), limit) }
	var parts []string
	for _, s := range []string{text(d.Code), text(d.Message)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ": ")
	target := text(d.Target)
	if target != "" {
		s += fmt.Sprintf(" (target %s)", target)
	}
	return redact.Cut(strings.TrimSpace(s), 2*limit)
}

// listed returns the text of the first few details, cut to about limit bytes in total.
func (d *Detail) listed(limit int) string {
	var list []string
	for i := range d.Details[:min(len(d.Details), maxListed)] {
		if limit <= 0 {
			break
		}
		s := redact.Cut(d.Details[i].brief(min(limit, redact.MaxText/maxListed)), redact.MaxText/maxListed)
		list = append(list, s)
		limit -= len(s)
	}
	more := len(d.Details) - maxListed
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// Unwrap returns the Details, so that errors.Is finds each of them.
func (d *Detail) Unwrap() []error {
	if d == nil {
		return nil
	}
	errs := make([]error, len(d.Details))
	for i := range d.Details {
		errs[i] = &d.Details[i]
	}
	return errs
}

// IsZero reports whether d is nil or has only empty fields.
func (d *Detail) IsZero() bool {
	if d == nil {
		return true
	}
	text := cmp.Or(d.Code, d.Message, d.Target, d.MoreInfo, d.Trace)
	others := len(d.Details) + len(d.InnerError) + len(d.AdditionalInfo)
	return text == "" && others == 0
}
