package ibmcloud

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/poller"
)

// beginDeletion interprets the response to a DELETE. url is the URL of the resource.
func (r Resource) beginDeletion(a poller.Answer, url string) poller.Move {
	m := r.newMemo()
	m.Deleting = true
	m.Begun = r.showsNoFailure(a)

	mv := r.inProgress(a, m)
	mv.Poll = url
	mv.Now = a.Code != http.StatusAccepted
	return mv
}

// readDeletion interprets a read of a resource that is being deleted.
func (r Resource) readDeletion(a poller.Answer, m memo) (poller.Move, error) {
	switch a.Code {
	case http.StatusNotFound, http.StatusGone, http.StatusNoContent:
		return succeeded(poller.Result{}), nil
	case http.StatusAccepted:
		return r.inProgress(a, m), nil
	}
	if !isSuccess(a.Code) {
		return poller.Move{}, poller.ErrNoStatus
	}
	if !json.Valid(a.Body) {
		return poller.Move{}, fmt.Errorf("%w: %w", poller.ErrNoStatus, errNotJSON)
	}

	state, word := r.deletionState(a, m)
	mv := r.inProgress(a, r.observe(a, m))
	mv.Status.State = state
	mv.Status.Word = word
	if isFailure(state) {
		mv.Status.Error = errorsOf(a, r.Error, r.status())
	}
	return mv, nil
}

// deletionState returns the state of a deletion while the resource can still be read, and the word
// that shows it.
func (r Resource) deletionState(a poller.Answer, m memo) (poller.State, string) {
	gone := r.lifecycle(a)
	if has(r.Deleted, gone) {
		return poller.Succeeded, gone
	}

	word := r.word(a)
	if r.isOld(a) {
		return poller.InProgress, word
	}
	if has(r.DeletionFailed, word) {
		return poller.Failed, word
	}
	if a.Words[fold(word)] == poller.Succeeded {
		return poller.Succeeded, word
	}

	state := r.state(a, word)
	if state == poller.Succeeded { // the word is not in Options.Words, so it describes the resource, not the deletion
		return poller.InProgress, word
	}
	mayBeLeftOver := !m.Moved && !m.Failing && !r.isOurs(a)
	if mayBeLeftOver {
		return poller.InProgress, word
	}
	return state, word
}

// observe returns the memo after a read of a resource that is being deleted. A word that means
// failure may be left over from before the deletion. But if the first response showed another word,
// and then two reads in a row show a failure, the deletion has failed.
func (r Resource) observe(a poller.Answer, m memo) memo {
	m.Failing = m.Begun && isFailure(r.state(a, r.word(a)))
	if r.showsNoFailure(a) {
		m.Moved = true
	}
	return m
}

// showsNoFailure reports whether a resource that is being deleted shows a word other than a
// failure. A later failure then belongs to the deletion.
func (r Resource) showsNoFailure(a poller.Answer) bool {
	word := r.word(a)
	if word == "" {
		return false
	}
	state := r.state(a, word)
	return state == poller.InProgress || state == poller.Succeeded
}
