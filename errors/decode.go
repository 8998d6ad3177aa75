package errors

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	maxDepth   = 16   // of errors within errors; what is deeper is kept as text
	maxDetails = 1000 // of one error, at all depths together; the rest is dropped. So many additions, too
	maxRaw     = 1000 // levels of what is kept as it came
)

// UnmarshalJSON decodes whatever JSON a service sends as an error. It fails for
// no valid JSON: what cannot be understood becomes the message. The error may
// stand bare or in an envelope ("error", "errors", "odata.error",
// "ErrorEntity", also below "properties"), its members may be written in any
// case, and a string, a number or nothing may stand where an object is due. A
// document that holds no error, such as a status document without one, leaves d
// zero.
func (d *Detail) UnmarshalJSON(b []byte) error {
	if !json.Valid(b) { // in a direct call
		*d = Detail{Message: text(bytes.TrimSpace(b))}
		return nil
	}
	dec := decoder{left: maxDetails, additions: maxDetails}
	*d = dec.value(b, maxDepth)
	return nil
}

// A decoder decodes one error.
type decoder struct {
	left      int // details that may still be kept
	additions int // and of AdditionalInfo
}

// value decodes an error whatever it is written as. Errors may stand depth
// levels deep within it.
func (dec *decoder) value(b []byte, depth int) Detail {
	b = bytes.TrimSpace(b)
	if saysNothing(b) {
		return Detail{}
	}
	if m, ok := object(b); ok && (depth > 0 || !m.nests()) {
		return dec.object(m, depth)
	}
	if depth > 0 && b[0] == '[' {
		return several(dec.list(b, depth))
	}
	return Detail{Message: text(b)}
}

func (dec *decoder) object(m members, depth int) Detail {
	if d := dec.envelope(m, depth); !d.IsZero() {
		return d
	}
	if d := dec.bare(m, depth); !d.IsZero() {
		return d
	}
	properties, _ := object(m["properties"])
	return dec.envelope(properties, depth)
}

// envelope decodes the error that one of the members holds.
func (dec *decoder) envelope(m members, depth int) Detail {
	for _, name := range []string{"error", "odata.error", "errorentity"} {
		if d := dec.enveloped(m, m[name], depth); !d.IsZero() {
			return d
		}
	}
	if m.first("code", "message") != nil { // of one error, with others beside it
		return Detail{}
	}
	d := several(dec.list(m["errors"], depth))
	if !d.IsZero() && d.Trace == "" {
		d.Trace = text(m.first("trace"))
	}
	return d
}

// enveloped decodes e, the error that m holds. A string is the message, or the
// code where the message stands beside it, as OAuth 2.0 has it (RFC 6749,
// section 5.2).
func (dec *decoder) enveloped(m members, e []byte, depth int) Detail {
	if saysNothing(e) {
		return Detail{}
	}
	if e[0] == '{' || e[0] == '[' {
		return orText(dec.value(e, depth-1), e)
	}
	d := dec.bare(m, depth)
	switch {
	case d.Message == "":
		d.Message = text(e)
	case d.Code == "":
		d.Code = text(e)
	}
	return d
}

// bare decodes an error from its own members. A target, a trace or the like
// makes none: resources have such members, too.
func (dec *decoder) bare(m members, depth int) Detail {
	d := Detail{
		Code:           text(m.first("code")),
		Message:        text(m.first("message", "error_description")),
		Target:         target(m.first("target")),
		Details:        dec.list(m.first("details", "errors"), depth),
		InnerError:     kept(m.first("innererror")),
		AdditionalInfo: additionalInfo(m.first("additionalinfo"), dec.additions),
		MoreInfo:       text(m.first("more_info", "moreinfo")),
		Trace:          text(m.first("trace")),
	}
	if d.Code == "" && d.Message == "" && len(d.Details) == 0 && len(d.InnerError) == 0 {
		return Detail{}
	}
	dec.additions -= len(d.AdditionalInfo)
	return d
}

// list decodes an array of errors, or the one error that stands in its place.
func (dec *decoder) list(b []byte, depth int) []Detail {
	if saysNothing(b) {
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

// several makes one error of many: the one itself, or an error that lists all.
func several(list []Detail) Detail {
	switch len(list) {
	case 0:
		return Detail{}
	case 1:
		return list[0]
	}
	return Detail{Message: fmt.Sprintf("%d errors", len(list)), Details: list}
}

// orText returns d, or where it is zero the text of b: something stood there.
func orText(d Detail, b []byte) Detail {
	if d.IsZero() && !saysNothing(b) {
		d.Message = text(b)
	}
	return d
}
