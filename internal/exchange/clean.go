package exchange

import (
	"bytes"
	"encoding/json"
	"slices"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
)

const (
	maxText  = 1000      // maximum length in bytes of each word, ID or message from the service
	maxTexts = 256 << 10 // maximum total length in bytes of all these texts in one response
)

// A Cleaner copies the texts in a service's responses. It truncates each text, and then masks the
// credentials in the text. It also limits the total length of all texts, because masking takes
// time, and a waiting operation keeps them in memory. A nil Cleaner copies texts that are already
// clean.
type Cleaner struct{ used int }

// Text returns s, truncated and masked.
func (c *Cleaner) Text(s string) string {
	if c == nil || s == "" {
		return s
	}
	s = redact.Cut(s, min(maxText, maxTexts-c.used))
	c.used = min(c.used+len(s), maxTexts)
	return redact.Masked(s)
}

// JSON returns a masked copy of raw. It returns nil if raw is too large, or if masking would
// make it invalid.
func (c *Cleaner) JSON(raw json.RawMessage) json.RawMessage {
	if c == nil {
		return bytes.Clone(raw)
	}
	if len(raw) > maxTexts-c.used {
		return nil
	}

	c.used += len(raw)
	masked := json.RawMessage(redact.Masked(string(raw)))
	if !json.Valid(masked) {
		return nil
	}
	return masked
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
