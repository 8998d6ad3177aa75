package response

import (
	"bytes"
	"encoding/json"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

const (
	maxText  = 1000      // bytes of each of the service's words, ids and messages
	maxTexts = 256 << 10 // bytes of all of them in one answer
)

// A Cleaner copies what a service wrote: it cuts each text, and then masks credentials in
// it. It also limits all texts together, because masking takes time, and an operation that
// waits keeps them. A nil Cleaner copies texts that are clean already.
type Cleaner struct{ used int }

// Text returns s, cut and masked.
func (c *Cleaner) Text(s string) string {
	if c == nil {
		return s
	}
	s = redact.Cut(s, min(maxText, maxTexts-c.used))
	c.used = min(c.used+len(s), maxTexts)
	return redact.Masked(s)
}

// JSON returns a copy of raw, masked; nil if it is too large, or if it is no JSON any more.
func (c *Cleaner) JSON(raw json.RawMessage) json.RawMessage {
	switch {
	case c == nil:
		return bytes.Clone(raw)
	case len(raw) > maxTexts-c.used:
		return nil
	}
	c.used += len(raw)
	if masked := json.RawMessage(redact.Masked(string(raw))); json.Valid(masked) {
		return masked
	}
	return nil
}

// Detail returns a copy of d.
func (c *Cleaner) Detail(d *lroerrors.Detail) *lroerrors.Detail {
	if d == nil {
		return nil
	}
	clean := *d
	for _, s := range []*string{&clean.Code, &clean.Message, &clean.Target, &clean.MoreInfo, &clean.Trace} {
		*s = c.Text(*s)
	}
	clean.InnerError = c.JSON(d.InnerError)
	clean.AdditionalInfo = slices.Clone(d.AdditionalInfo)
	for i, info := range d.AdditionalInfo {
		clean.AdditionalInfo[i] = lroerrors.AdditionalInfo{Type: c.Text(info.Type), Info: c.JSON(info.Info)}
	}
	clean.Details = slices.Clone(d.Details)
	for i := range d.Details {
		clean.Details[i] = *c.Detail(&d.Details[i])
	}
	return &clean
}
