package resource

import (
	"slices"
	"strings"

	"github.com/lro-go/lro/poller/strategy"
)

// These words are the defaults of Strategy.Succeeded, Failed and Canceled.
var (
	usualSucceeded = []string{"succeeded", "completed"}
	usualFailed    = []string{"failed"}
	usualCanceled  = []string{"canceled", "cancelled"}
)

// state returns the meaning of a word according to a.Words or, if the word is not there, to the
// lists of r. Any other word means InProgress, even "completed" if Succeeded is set without it.
func (r Strategy) state(a strategy.Answer, word string) strategy.State {
	if s, ok := a.Words[fold(word)]; ok {
		return s
	}
	if has(orUsual(r.Succeeded, usualSucceeded), word) {
		return strategy.Succeeded
	}
	if has(orUsual(r.Failed, usualFailed), word) {
		return strategy.Failed
	}
	if has(orUsual(r.Canceled, usualCanceled), word) {
		return strategy.Canceled
	}
	return strategy.InProgress
}

func orUsual(words, usual []string) []string {
	if words == nil {
		return usual
	}
	return words
}

// has reports whether list contains word, ignoring case.
func has(list []string, word string) bool {
	if word == "" {
		return false
	}
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), word) })
}

// isFailure reports whether an operation in this state has ended without success.
func isFailure(s strategy.State) bool { return s == strategy.Failed || s == strategy.Canceled }
