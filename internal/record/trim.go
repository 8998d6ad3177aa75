package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

// largest describes the part that makes the token too large, for Token's error message.
func (r *Record) largest() string {
	if r.Result != nil && r.Result.URL.IsZero() {
		if size := len(r.Result.Body) + r.Result.Size; size > 0 {
			return fmt.Sprintf("the result has %d bytes; store it instead of the token", size)
		}
	}

	if len(r.Memo) > MaxToken/2 {
		return fmt.Sprintf("the memo of the strategy has %d bytes", len(r.Memo))
	}
	return "its URLs or the error of the service are too long"
}

// maxHeader limits the total length of one header's values, in bytes. trim removes longer headers,
// except the ones that say where to poll.
const maxHeader = 1000

// headerAsync is the canonical form of Azure-AsyncOperation.
const headerAsync = "Azure-Asyncoperation"

// linkHeaders are the headers whose values are URLs.
var linkHeaders = []string{headerAsync, "Operation-Location", "Location", "Content-Location"}

// trim removes what is not needed to follow the operation.
func (r *Record) trim() {
	if r.First != nil {
		r.First.trim() // withoutSecrets has already copied First
	}
	status := *r.Status
	status.Operations = nil
	if !status.State.Terminal() {
		r.Status = &strategy.Status{
			State:           status.State,
			PercentComplete: status.PercentComplete,
			StatusCode:      status.StatusCode,
			Unconfirmed:     status.Unconfirmed,
		}
		return
	}
	if detail := exchange.CleanDetail(unchanged, status.Detail); detail != nil {
		detail.Details = nil
		detail.InnerError = nil
		detail.AdditionalInfo = nil
		status.Detail = detail
	}
	r.Status = &status
}

// lasting returns the part of a status that a token contains. It returns a final status or an
// unconfirmed success unchanged.
func lasting(s *strategy.Status) *strategy.Status {
	if s.State.Terminal() || s.Unconfirmed {
		return s
	}
	return &strategy.Status{State: s.State, Word: s.Word, PercentComplete: s.PercentComplete, Name: s.Name}
}

// trim removes the body and all long headers, except the ones that say where to poll.
func (f *First) trim() {
	if len(f.Body) > 0 {
		f.Body = nil
		f.Broken = true
	}
	maps.DeleteFunc(f.Header, func(name string, values []string) bool {
		isLink := strings.Contains(name, "Location") || name == headerAsync
		return !isLink && len(strings.Join(values, "")) > maxHeader
	})
}

// secretNames are parts of header names that suggest a credential.
var secretNames = []string{"cookie", "auth", "token", "secret", "key", "signature"}

// withoutSecrets returns a copy of f whose headers contain no user-info. It omits headers whose
// names suggest a credential.
func (f *First) withoutSecrets() *First {
	bare := *f
	bare.Header = f.Header.Clone()
	for name, values := range bare.Header {
		for i := range values {
			values[i] = hideUserInfo(name, values[i])
		}
		lower := strings.ToLower(name)
		for _, part := range secretNames {
			if strings.Contains(lower, part) {
				delete(bare.Header, name)
			}
		}
	}
	return &bare
}

// hideUserInfo replaces the user-info in a header's value.
func hideUserInfo(name, value string) string {
	valid := redact.EncodeUTF8(value) // a header may contain invalid UTF-8
	if slices.Contains(linkHeaders, name) {
		return redact.LinkUserInfo(valid)
	}
	return redact.HeaderUserInfo(valid)
}
