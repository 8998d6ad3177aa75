package ibmcloud

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
)

// or returns pointer, or usual if pointer is "".
func or(pointer, usual string) string {
	if pointer == "" {
		return usual
	}
	return pointer
}

// number returns the decimal number at a pointer, and whether there is one. The number may be
// enclosed in a string.
func number(a poller.Answer, pointer string) (float64, bool) {
	raw, ok := a.Lookup(pointer)
	s := strings.Trim(string(raw), `" `)
	if !ok || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// seconds returns the pause that the body asks for, or 0 if it asks for none. If it asks for zero
// seconds, the result is one nanosecond.
func seconds(a poller.Answer, pointer string) time.Duration {
	f, ok := number(a, pointer)
	if !ok || f < 0 {
		return 0
	}
	// Compare floats, because a large number would overflow time.Duration.
	return max(time.Duration(min(f, (24*time.Hour).Seconds())*float64(time.Second)), 1)
}

// status returns a Status with the id, the name and the progress in the document.
func status(a poller.Answer, word string, state poller.State, percent string) poller.Status {
	s := poller.Status{State: state, Word: word, ID: a.Text("/id"), Name: a.Text("/name")}
	if f, ok := number(a, percent); ok && f >= 0 && f <= 100 {
		s.PercentComplete = &f
	}
	return s
}

// fold returns a word in lower case, without surrounding space.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// checkPointers returns an error for the first of the named strings that is not a JSON pointer.
func checkPointers(named ...[2]string) error {
	for _, p := range named {
		if err := poller.CheckPointer(p[1]); err != nil {
			return fmt.Errorf("ibmcloud: %s: %w", p[0], err)
		}
	}
	return nil
}
