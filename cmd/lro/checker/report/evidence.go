package report

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	lroerrors "github.com/lro-go/lro/errors"
)

// Evidence is an exchange that proves a finding, with credentials redacted and long URLs, headers
// and bodies shortened.
type Evidence struct {
	Number   int      `json:"number"` // the number of the request in the whole check, starting at 1
	Request  []string `json:"request"`
	Response []string `json:"response"`
}

func evidenceOf(x *trace.Exchange) Evidence {
	e := Evidence{Number: x.N, Request: []string{x.Method + " " + cleanURL(x.URL)}}
	e.Request = append(e.Request, headerLines(x.RequestHeader)...)
	e.Request = append(e.Request, bodyLines(x.RequestBody)...)

	if x.StatusCode == 0 {
		e.Response = []string{"no response: " + reasonOf(x)}
		return e
	}
	e.Response = []string{rule.Code(x)}
	e.Response = append(e.Response, headerLines(x.Header)...)
	e.Response = append(e.Response, bodyLines(x.JSON())...)
	if x.Err != nil {
		e.Response = append(e.Response, "the body is incomplete: "+reasonOf(x))
	}
	return e
}

func reasonOf(x *trace.Exchange) string {
	if x.Err == nil {
		return "unknown reason"
	}
	return clean(x.Err.Error())
}

// secretHeaders are the headers that this package never writes.
var secretHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie"}

func isSecret(name string) bool { return slices.Contains(secretHeaders, http.CanonicalHeaderKey(name)) }

// headerLines returns the headers as lines, sorted by name and without credentials.
func headerLines(h http.Header) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if isSecret(name) {
			continue
		}
		for _, value := range h[name] {
			lines = append(lines, name+": "+cleanHeader(name, value))
		}
	}
	return lines
}

// cleanHeader redacts the credentials in the value of a header. For a header such as X-Api-Key, it
// redacts the whole value.
func cleanHeader(name, value string) string {
	cleaned := strings.TrimPrefix(clean(name+": "+value), name+": ")
	isURL := strings.Contains(cleaned, "://")
	if isURL {
		return cleanURL(value)
	}
	return cleaned
}

func bodyLines(body []byte) []string {
	if len(body) == 0 {
		return nil
	}
	return []string{"", clean(string(body))}
}

// clean puts text from a service on one line, shortens it, and redacts any credentials in it.
// AdditionalInfo.String does all three.
func clean(text string) string { return lroerrors.AdditionalInfo{Type: text}.String() }

// cleanURL redacts the query of a URL, except for the api-version, which is not secret and which
// some rules check.
func cleanURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return clean(text)
	}
	version := trace.Query(u, "api-version")
	if version == "" {
		return clean(text)
	}
	others := len(u.Query()) > 1
	u.RawQuery = ""
	u.Fragment = ""
	cleaned := clean(u.String()) + "?api-version=" + clean(url.QueryEscape(version))
	if others {
		cleaned += "&REDACTED"
	}
	return cleaned
}

// operationName returns the name of an operation in a report: its method and URL.
func operationName(op *trace.Operation) string { return op.Method + " " + cleanURL(op.URL) }

// endOf returns the word for the end of an operation in a report, such as "succeeded", "unfinished"
// or, for a GET, "read".
func endOf(op *trace.Operation) string {
	if op.Listing && op.End == trace.Unfinished {
		return "read"
	}
	if op.End == trace.Unfinished {
		return "unfinished"
	}
	return string(op.End)
}

// incompleteReason returns the reason if the check of an operation is incomplete, or "" otherwise.
func incompleteReason(op *trace.Operation) string {
	if op.Ended() {
		return ""
	}
	x := op.First()
	if x == nil {
		return "the request was not sent"
	}
	if x.StatusCode == 0 {
		return "no response: " + reasonOf(x)
	}
	if op.End == trace.Refused {
		return "the service refused the request with " + rule.Code(x)
	}
	return "the operation did not end in time"
}

// tookOf returns the time from an operation's first request to its last response.
func tookOf(op *trace.Operation) time.Duration {
	if len(op.Exchanges) == 0 {
		return 0
	}
	first := op.Exchanges[0]
	last := op.Exchanges[len(op.Exchanges)-1]
	return last.At.Add(last.Took).Sub(first.At)
}

// times returns a suffix such as " (2 times)", or "" if only one exchange broke the rule.
func times(f *rule.Finding) string {
	if f.Times == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", f.Times)
}
