package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// A log line fits in 80 columns if its state is at most as long as Provisioning, which has twelve
// letters.
const (
	layout    = "%-8s %4s %-6s %-25s %4s %5s  %-8s %s"
	pathWidth = 25
	wordWidth = 60

	differenceWidth = 500 // limits the text that says how a request differs from the recorded one
)

// header is the line of column titles above the log.
var header = fmt.Sprintf(layout, "TIME", "N", "METHOD", "PATH", "CODE", "RETRY", "KIND:N", "STATE")

// line returns the log line for x.
func (x *exchange) line() string {
	status := "-"
	if x.response.code != 0 {
		status = strconv.Itoa(x.response.code)
	}
	kind := ""
	if x.kind != "" {
		kind = fmt.Sprintf("%s:%d", strings.ToLower(string(x.kind)), x.nth)
	}
	var notes []string
	if state := shorten(printable(x.state()), x.stateWidth()); state != "" && (len(x.faults) == 0 || x.response.code < 400) {
		notes = append(notes, state) // if a fault caused an error, show only the fault
	}
	for _, action := range x.faults {
		notes = append(notes, "fault "+action)
	}
	line := fmt.Sprintf(layout, x.at.Format("15:04:05"), strconv.Itoa(x.n), x.req.Method, shorten(x.req.URL.EscapedPath(), pathWidth),
		status, pause(x.response.header), kind, strings.Join(notes, ", "))
	return strings.TrimRight(line, " ")
}

// differs reports whether the request differs from the recorded one. If so, the response body says
// how.
func (x *exchange) differs() bool {
	return x.session.replay != nil && x.response.code == http.StatusExpectationFailed
}

// state returns the state or the error code from the response. If the request differs from the
// recorded one, it returns the difference instead.
func (x *exchange) state() string {
	body := x.response.body.Bytes()
	if x.differs() {
		return strings.TrimSpace(string(body))
	}
	return word(body)
}

func (x *exchange) stateWidth() int {
	if x.differs() {
		return differenceWidth
	}
	return wordWidth
}

// pause formats a response's Retry-After for the log: seconds, "date" for a date, or "-" for none.
func pause(h http.Header) string {
	value := h.Get("Retry-After")
	if _, err := strconv.Atoi(value); err == nil {
		return value + "s"
	}
	if value != "" {
		return "date"
	}
	return "-"
}

// printable replaces characters in s that could control a terminal, because a client can store any
// text as the state of a resource.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// shorten removes the middle of s if s has more than width characters. It keeps more of the end,
// which is the more informative part of a path.
func shorten(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := width * 2 / 3
	return string(runes[:width-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// words lists the JSON members that hold the state or the error code in responses of package fakes,
// in order of precedence.
var words = []string{
	"last_operation/state", "task/status", "status", "lifecycle_state", "provisioning_status",
	"properties/provisioningState", "provisioningState", "properties/ProvisioningState", "state",
	"error/code", "errors/0/code",
}

// word returns the state that a response body reports or, if it reports none, the error code.
func word(body []byte) string {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return ""
	}
	for _, pointer := range words {
		if s, ok := member(doc, pointer).(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// member returns the value in doc at a path of member names and array indexes, or nil if doc has no
// such value.
func member(doc any, path string) any {
	for name := range strings.SplitSeq(path, "/") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}
