package errors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
)

const (
	maxDepth   = 16   // the maximum depth of nested errors; deeper errors become text
	maxDetails = 1000 // the maximum number of Details in an error, and of AdditionalInfo elements; the rest are dropped
	maxRaw     = 1000 // the maximum depth of a raw JSON value; a deeper value becomes text
)

// UnmarshalJSON decodes an error in any form that services use. It never returns an error.
//
// The error may be the document itself, or a member of the document or of its "properties". Such a
// member is named "error", "errors", "odata.error", "ErrorEntity", "ErrorResponse",
// "CommunicationError" or "RemoteException". The error may also be
// properties.status.provisioningError. The case of member names does not matter.
//
// An error that is a string or a number instead of an object usually becomes the Message. In
// problem details (RFC 9457), the title becomes the Code and the detail becomes the Message. A
// title without a detail becomes the Message. An object without an error, such as the status of a
// running operation, leaves d zero.
func (d *Detail) UnmarshalJSON(b []byte) error {
	if !json.Valid(b) { // encoding/json passes only valid JSON, but other callers might not
		*d = Detail{Message: text(bytes.TrimSpace(b))}
		return nil
	}
	dec := decoder{left: maxDetails, additions: maxDetails}
	*d = dec.value(b, maxDepth)
	return nil
}

// envelopes lists the lower-case names of the members whose value is an error, in order of
// precedence. It does not include "errors", which may contain the details of an error.
var envelopes = []string{"error", "odata.error", "errorentity", "errorresponse", "communicationerror", "remoteexception"}

// A decoder decodes an error and limits how many of its parts are kept.
type decoder struct {
	left      int // how many more Details to keep
	additions int // how many more AdditionalInfo elements to keep
}

// value decodes an error in any form. The parameter depth limits how many levels of nested errors
// it decodes.
func (dec *decoder) value(b []byte, depth int) Detail {
	b = bytes.TrimSpace(b)
	if isEmpty(b) {
		return Detail{}
	}

	m, isObject := object(b)
	isTooDeep := depth == 0 && m.nests()
	if isObject && !isTooDeep {
		return dec.object(m, depth)
	}
	isArray := b[0] == '['
	if isArray && depth > 0 {
		return combine(dec.list(b, depth))
	}
	return Detail{Message: text(b)}
}

// object decodes an error in m. It looks first for an envelope in m, then at m itself, then for an
// envelope in the properties of m, and last at properties.status.provisioningError.
func (dec *decoder) object(m members, depth int) Detail {
	if d := dec.envelope(m, depth); !d.IsZero() {
		return d
	}
	if d := dec.bare(m, depth); !d.IsZero() {
		return d
	}
	properties, _ := object(m["properties"])
	d := dec.envelope(properties, depth)
	if !d.IsZero() {
		return d
	}
	status, _ := object(properties["status"]) // Azure Kubernetes Service reports errors of clusters and agent pools here
	return dec.enveloped(status, status["provisioningerror"], depth)
}

// envelope decodes the error in an envelope of m. An envelope is a member that contains an error,
// such as "error", or "errors" if m itself is not the error. If m has no envelope, the Detail is
// zero.
func (dec *decoder) envelope(m members, depth int) Detail {
	for _, name := range envelopes {
		if d := dec.enveloped(m, m[name], depth); !d.IsZero() {
			return d
		}
	}
	isOneError := m.first("code", "errorcode", "message") != nil || m.isProblem()
	if isOneError { // m itself is the error, and "errors" lists its details
		return Detail{}
	}

	d := combine(dec.list(m["errors"], depth))
	if !d.IsZero() && d.Trace == "" {
		d.Trace = text(m.first("trace"))
	}
	return d
}

// enveloped decodes e, the error in an envelope of m. A string is usually the message, but it is
// the code if m also has a message, as in OAuth 2.0 (RFC 6749, section 5.2).
func (dec *decoder) enveloped(m members, e []byte, depth int) Detail {
	if isEmpty(e) {
		return Detail{}
	}
	if e[0] == '{' || e[0] == '[' {
		return orText(dec.value(e, depth-1), e)
	}

	d := dec.bare(m, depth)
	if d.Message == "" {
		d.Message = text(e)
		return d
	}
	d.Code = cmp.Or(d.Code, text(e))
	return d
}

// bare decodes an error whose fields are members of m itself. A target or trace alone does not make
// m an error, because resources have such members too.
func (dec *decoder) bare(m members, depth int) Detail {
	d := Detail{
		Code:           m.code(),
		Message:        text(m.first("message", "error_description")),
		Target:         target(m.first("target")),
		Details:        dec.list(m.first("details", "errors"), depth),
		InnerError:     rawJSON(m.first("innererror")),
		AdditionalInfo: additionalInfo(m.first("additionalinfo"), dec.additions),
		MoreInfo:       text(m.first("more_info", "moreinfo")),
		Trace:          text(m.first("trace", "traceid")),
	}
	if d.Message == "" && m.isProblem() {
		code, message := problem(m)
		d.Code = cmp.Or(d.Code, code)
		d.Message = message
	}
	isError := cmp.Or(d.Code, d.Message) != "" || len(d.Details)+len(d.InnerError) > 0
	if !isError {
		return Detail{}
	}
	dec.additions -= len(d.AdditionalInfo)
	return d
}

// problem returns the title of problem details as the code and the detail as the message (RFC 9457,
// sections 3.1.3 and 3.1.4). Without a detail, the title is the message.
func problem(m members) (code, message string) {
	title := text(m["title"])
	detail := text(m.first("detail"))
	if detail == "" {
		return "", title
	}
	return title, detail
}

// list decodes an array of errors, or a single error.
func (dec *decoder) list(b []byte, depth int) []Detail {
	if isEmpty(b) {
		return nil
	}
	var list []Detail
	elements(b, func(elem []byte) bool {
		if dec.left == 0 {
			return false
		}
		dec.left--
		d := orText(dec.value(elem, depth-1), elem)
		if d.IsZero() {
			dec.left++
			return true
		}
		list = append(list, d)
		return true
	})
	return list
}

// combine returns the only error in list, or, if there are several, an error with all of them as
// its Details.
func combine(list []Detail) Detail {
	switch len(list) {
	case 0:
		return Detail{}
	case 1:
		return list[0]
	}
	return Detail{Message: fmt.Sprintf("%d errors", len(list)), Details: list}
}

// orText returns d, with the text of b as its Message if d is zero and b is not empty.
func orText(d Detail, b []byte) Detail {
	if d.IsZero() && !isEmpty(b) {
		d.Message = text(b)
	}
	return d
}
