package ibmcloud

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/poller/strategy"
)

// isSuccess reports whether a status code is a 2xx.
func isSuccess(code int) bool { return 200 <= code && code <= 299 }

// number returns the decimal number at a pointer, and whether there is one. The number may be
// enclosed in a string.
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

// seconds returns the pause that the body asks for, or 0 if it asks for none. If it asks for zero
// seconds, the result is one nanosecond.
func seconds(a strategy.Answer, pointer string) time.Duration {
	f, ok := number(a, pointer)
	if !ok || f < 0 {
		return 0
	}
	f = min(f, (24 * time.Hour).Seconds()) // compare floats, because a large number would overflow time.Duration
	return max(time.Duration(f*float64(time.Second)), 1)
}

// status returns a Status with the id, the name and the progress in the document.
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

// A pointerField is a field of a strategy that must be a JSON pointer.
type pointerField struct{ name, value string }

// checkPointers returns an error for the first of the fields that is not a JSON pointer.
func checkPointers(fields ...pointerField) error {
	for _, f := range fields {
		err := strategy.CheckPointer(f.value)
		if err != nil {
			return fmt.Errorf("ibmcloud: %s: %w", f.name, err)
		}
	}
	return nil
}
