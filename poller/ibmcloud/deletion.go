package ibmcloud

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/poller"
)

// readDeletion interprets a read of a resource that is being deleted.
func (r Resource) readDeletion(a poller.Answer, m memo) (poller.Move, error) {
	switch {
	case a.Code == http.StatusNotFound, a.Code == http.StatusGone, a.Code == http.StatusNoContent:
		return succeeded(poller.Result{}), nil
	case a.Code < 200 || a.Code > 299:
		return poller.Move{}, poller.ErrNoStatus
	case a.Code == http.StatusAccepted:
		return r.goOn(a, m), nil
	case !json.Valid(a.Body):
		return poller.Move{}, fmt.Errorf("%w: %w", poller.ErrNoStatus, errNotJSON)
	}
	state, word := r.deletionState(a, m)
	mv := r.goOn(a, r.seen(a, m))
	mv.Status.State, mv.Status.Word = state, word
	if state == poller.Failed || state == poller.Canceled {
		mv.Status.Error = errorsOf(a, r.Error, r.status())
	}
	return mv, nil
}

// deletionState returns the state of a deletion while the resource can still be read. A word that
// means success ends the deletion only if it is in Options.Words.
func (r Resource) deletionState(a poller.Answer, m memo) (poller.State, string) {
	word := r.word(a)
	state := r.state(a, word)
	switch gone := r.lifecycle(a); {
	case has(r.Deleted, gone):
		return poller.Succeeded, gone
	case r.isOld(a):
		return poller.InProgress, word
	case has(r.DeletionFailed, word):
		return poller.Failed, word
	case a.Words[fold(word)] == poller.Succeeded:
		return poller.Succeeded, word
	case state == poller.Succeeded, !m.Moved && !m.Failing && !r.isOurs(a):
		return poller.InProgress, word
	}
	return state, word
}

// seen returns the memo after a read of a resource that is being deleted. A word that means failure
// may be left over from before the deletion. But if the first response showed another word, and
// then two reads in a row show a failure, the deletion has failed.
func (r Resource) seen(a poller.Answer, m memo) memo {
	state := r.state(a, r.word(a))
	m.Failing = m.Begun && (state == poller.Failed || state == poller.Canceled)
	return m.moved(state, r.word(a))
}

// moved returns the memo with Moved set if a resource that is being deleted shows a word other
// than a failure. A later failure then belongs to the deletion.
func (m memo) moved(state poller.State, word string) memo {
	if word != "" && (state == poller.InProgress || state == poller.Succeeded) {
		m.Moved = true
	}
	return m
}
