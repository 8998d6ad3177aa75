package ibmcloud

import (
	"slices"
	"strings"

	"github.com/lro-go/lro/poller"
)

// These words end an operation if the Resource lists none of its own.
var (
	usualSucceeded = []string{"succeeded", "completed"}
	usualFailed    = []string{"failed"}
	usualCanceled  = []string{"canceled", "cancelled"}
)

// state returns the meaning of a word. A word that is not on any of the lists means InProgress,
// even if it ends the operations of other services. For example, "completed" may be an intermediate
// step of the service that r describes.
func (r Resource) state(a poller.Answer, word string) poller.State {
	if s, ok := a.Words[fold(word)]; ok {
		return s
	}
	for _, list := range []struct {
		state        poller.State
		words, usual []string
	}{
		{poller.Succeeded, r.Succeeded, usualSucceeded},
		{poller.Failed, r.Failed, usualFailed},
		{poller.Canceled, r.Canceled, usualCanceled},
	} {
		if list.words == nil {
			list.words = list.usual
		}
		if has(list.words, word) {
			return list.state
		}
	}
	return poller.InProgress
}

// has reports whether a word is on the list, ignoring case.
func has(list []string, word string) bool {
	return word != "" && slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), word) })
}
