package resource

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/poller/strategy"
)

// beginDeletion interprets the response to a DELETE of the resource at url.
func (r Strategy) beginDeletion(a strategy.Answer, url string) strategy.Move {
	m := r.newMemo()
	m.Deleting = true
	m.Begun = r.showsNoFailure(a)

	mv := r.inProgress(a, m)
	mv.Poll = url
	mv.Now = a.Code != http.StatusAccepted
	return mv
}

// readDeletion interprets a response from a resource that is being deleted.
func (r Strategy) readDeletion(a strategy.Answer, m memo) (strategy.Move, error) {
	switch a.Code {
	case http.StatusNotFound, http.StatusGone, http.StatusNoContent:
		return succeeded(), nil
	case http.StatusAccepted:
		return r.inProgress(a, m), nil
	}
	if !isSuccess(a.Code) {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	if !json.Valid(a.Body) {
		return strategy.Move{}, fmt.Errorf("%w: %w", strategy.ErrNoStatus, strategy.ErrNotJSON)
	}

	state, word := r.deletionState(a, m)
	mv := r.inProgress(a, r.observe(a, m))
	mv.Status.State = state
	mv.Status.Word = word
	if isFailure(state) {
		mv.Status.Detail = r.detail(a)
	}
	return mv, nil
}

// deletionState returns the state of a deletion whose resource can still be read, and the word to
// report with that state.
func (r Strategy) deletionState(a strategy.Answer, m memo) (strategy.State, string) {
	gone := r.lifecycle(a)
	if has(r.Deleted, gone) {
		return strategy.Succeeded, gone
	}

	word := r.word(a)
	if r.isOld(a) {
		return strategy.InProgress, word
	}
	if has(r.DeletionFailed, word) {
		return strategy.Failed, word
	}
	if a.Words[fold(word)] == strategy.Succeeded {
		return strategy.Succeeded, word
	}

	state := r.state(a, word)
	if state == strategy.Succeeded { // the word describes the resource, not the deletion
		return strategy.InProgress, word
	}
	mayBeLeftOver := !m.Moved && !m.Failing && !r.isOurs(a)
	if mayBeLeftOver {
		return strategy.InProgress, word
	}
	return state, word
}

// observe returns the memo after a read of a resource that is being deleted. The memo lets
// deletionState recognize a failure that is older than the deletion.
func (r Strategy) observe(a strategy.Answer, m memo) memo {
	m.Failing = m.Begun && isFailure(r.state(a, r.word(a)))
	if r.showsNoFailure(a) {
		m.Moved = true
	}
	return m
}

// showsNoFailure reports whether a resource being deleted shows a word that means neither failure
// nor cancellation.
func (r Strategy) showsNoFailure(a strategy.Answer) bool {
	word := r.word(a)
	if word == "" {
		return false
	}
	state := r.state(a, word)
	return state == strategy.InProgress || state == strategy.Succeeded
}
