package resource

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/poller/strategy"
)

func isSuccess(code int) bool { return 200 <= code && code <= 299 }

// number returns the decimal number at a pointer, and whether there is one. The number may be
// quoted.
func number(a strategy.Answer, pointer string) (float64, bool) {
	raw, ok := a.Lookup(pointer)
	if !ok {
		return 0, false
	}
	s := strings.Trim(string(raw), `" `)
	if strings.Trim(s, "0123456789.eE+-") != "" { // ParseFloat would also accept "Inf", "NaN" and hexadecimal numbers
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// seconds returns the pause that the body asks for, capped at a day, or 0 if it asks for none. A
// pause of zero seconds becomes one nanosecond, because 0 means none.
func seconds(a strategy.Answer, pointer string) time.Duration {
	f, ok := number(a, pointer)
	if !ok || f < 0 {
		return 0
	}
	f = min(f, (24 * time.Hour).Seconds()) // compare floats, because a large number would overflow time.Duration
	return max(time.Duration(f*float64(time.Second)), 1)
}

// status returns a Status with the given word and state, and with the document's id, name and
// progress.
func status(a strategy.Answer, word string, state strategy.State, percent string) strategy.Status {
	s := strategy.Status{State: state, Word: word, ID: a.Text("/id"), Name: a.Text("/name")}
	f, ok := number(a, percent)
	if ok && 0 <= f && f <= 100 {
		s.PercentComplete = &f
	}
	return s
}

// fold returns a word in lower case, without surrounding space.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

func header(a strategy.Answer, name string) string { return strings.TrimSpace(a.Header.Get(name)) }

// succeeded returns a Move that ends the operation without a result.
func succeeded() strategy.Move {
	return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}}
}

// isForeign reports whether a response seems to come from a gateway. It returns false for the
// response to a GET, because the poller reads the URL again anyway.
func isForeign(a strategy.Answer) bool {
	body := bytes.TrimSpace(a.Body)
	switch a.Method {
	case http.MethodGet:
		return false
	case http.MethodDelete:
		return bytes.HasPrefix(body, []byte("<")) // any other text may come from the service
	}
	return len(body) > 0 && !json.Valid(a.Body) // checks a.Body, because TrimSpace also strips characters that JSON does not allow as white space (RFC 8259, section 2)
}
