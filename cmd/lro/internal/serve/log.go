package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// A line with a state of twelve letters, such as Provisioning, fits a terminal of
// 80 columns.
const (
	layout    = "%-8s %4s %-6s %-25s %4s %5s  %-8s %s"
	pathWidth = 25
	wordWidth = 60
)

// header is the line above the log.
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
	if state := shorten(printable(word(x.response.body.Bytes())), wordWidth); state != "" && (len(x.faults) == 0 || x.response.code < 400) {
		notes = append(notes, state) // omits the error of a fault, which says no more than the fault's name
	}
	for _, action := range x.faults {
		notes = append(notes, "fault "+action)
	}
	line := fmt.Sprintf(layout, x.at.Format("15:04:05"), strconv.Itoa(x.n), x.req.Method, shorten(x.req.URL.EscapedPath(), pathWidth),
		status, pause(x.response.header), kind, strings.Join(notes, ", "))
	return strings.TrimRight(line, " ")
}

// pause returns the Retry-After of a response, which may be a date.
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

// printable replaces the characters of s that could control a terminal. A client
// can store any state in a resource.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// shorten cuts the middle out of a text that is too long. It keeps most of the end, because the end
// of a path is more informative than its start.
func shorten(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := width * 2 / 3
	return string(runes[:width-tail-1]) + "…" + string(runes[len(runes)-tail:])
}

// words lists the members in which the services of package fakes report the state of an operation.
// The first one in a body holds the state.
var words = []string{
	"last_operation/state", "task/status", "status", "lifecycle_state", "provisioning_status",
	"properties/provisioningState", "provisioningState", "properties/ProvisioningState", "state",
	"error/code", "errors/0/code",
}

// word returns the state of the operation that a response reports, or the code of
// its error.
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

// member returns the value at a path of names and indexes, or nil.
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
