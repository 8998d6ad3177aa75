package ibmcloud

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

var errNotJSON = errors.New("the body is not JSON")

// or is the pointer that was given, else the usual one.
func or(pointer, usual string) string {
	if pointer == "" {
		return usual
	}
	return pointer
}

// text returns the string at a pointer, "" where there is none.
func text(a poller.Answer, pointer string) string {
	var s string
	if raw, ok := a.Lookup(pointer); ok {
		_ = json.Unmarshal(raw, &s) // what is no string is none
	}
	return strings.TrimSpace(s)
}

// number returns the number at a pointer, which may be written as a string, and
// whether there is one.
func number(a poller.Answer, pointer string) (float64, bool) {
	raw, ok := a.Lookup(pointer)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// seconds returns the pause that a body asks for, 0 where it asks for none.
func seconds(a poller.Answer, pointer string) time.Duration {
	f, ok := number(a, pointer)
	if !ok || f <= 0 {
		return 0
	}
	// Compare as floats: a large number overflows time.Duration.
	return time.Duration(min(f, (24*time.Hour).Seconds()) * float64(time.Second))
}

// status is what a document tells.
func status(a poller.Answer, word string, state poller.State, percent string) poller.Status {
	s := poller.Status{State: state, Word: word, ID: text(a, "/id"), Name: text(a, "/name")}
	if f, ok := number(a, percent); ok {
		s.PercentComplete = &f
	}
	return s
}

// errorAt finds an error, or several, at a pointer, else anywhere in the body.
func errorAt(pointer string) func(poller.Answer) *lroerrors.Detail {
	return func(a poller.Answer) *lroerrors.Detail {
		var d lroerrors.Detail
		if raw, ok := a.Lookup(pointer); !ok || json.Unmarshal(raw, &d) != nil || d.IsZero() {
			return a.Detail()
		}
		return &d
	}
}

// fold is a word without case.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }
