package arm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/poller/strategy"
)

// rememberCreation remembers whether the first response showed a resource that is being created
// and, if so, the Location. word is the resource's provisioningState.
func (s *step) rememberCreation(a *strategy.Answer, word string) {
	isCreation := a.Method == http.MethodPut && a.Code == http.StatusCreated
	isEnded := word == "" || a.State(word).Terminal()
	if !isCreation || isEnded {
		return
	}
	s.memo.Created = true
	s.rememberLocation(a)
}

// maxEnding is the maximum size, in bytes, of a resource in a memo.
const maxEnding = 16 << 10

// endingOf returns what a memo stores of a resource in a terminal state: the whole body or, if that
// is too large, only the provisioningState.
func endingOf(body []byte, word string) []byte {
	if len(body) <= maxEnding {
		return body
	}
	return shortened(word)
}

// shortened returns a resource that contains only the given provisioningState.
func shortened(word string) []byte {
	text, _ := json.Marshal(word) // cannot fail
	return fmt.Appendf(nil, `{"properties":{"provisioningState":%s}}`, text)
}

// end ends the operation in the state that an earlier response reported.
func (m memo) end(a *strategy.Answer, mv *strategy.Move) {
	if m.Failed {
		mv.Status = a.Status
		mv.Status.State = strategy.Failed
		return
	}
	then := *a
	then.Header = nil
	then.Body = m.Ended
	doc, _ := document.Parse(m.Ended) // a forged memo may contain anything
	word := document.Text(doc.ResourceState())
	mv.Status = doc.StatusOf(&then, word)
	if mv.Status.State != strategy.Succeeded {
		return
	}
	isShort := bytes.Equal(m.Ended, shortened(word))
	if isShort {
		mv.Result.URL = a.Target
		return
	}
	mv.Result.Body = m.Ended
	mv.Result.From = a.Target
}

// findReason makes the poller read the first response's Location next if a creation has failed
// without a reason, because the Location may give one (recorded shapes, section 5).
func (m memo) findReason(a *strategy.Answer, mv *strategy.Move, way *strategy.Detour) {
	isUnexplained := mv.Status.State == strategy.Failed && mv.Status.Detail == nil
	hasOther := m.Location != "" && m.Location != a.Poll
	hasReason := m.Created && hasOther
	if !isUnexplained || !hasReason {
		return
	}
	m.Failed = true
	*mv = strategy.Move{
		Status: mv.Status,
		Poll:   m.Location,
		Now:    true,
		Memo:   m.text(),
	}
	mv.Status.State = strategy.InProgress
	*way = strategy.Detour{Once: true}
}

// reason ends a failed creation with the error that the Location returned (see findReason).
func (s *step) reason(a *strategy.Answer, mv *strategy.Move) error {
	err := s.locationRefused(a, mv)
	isReadable := err == nil || isOKOrCreated(a.Code)
	if !isReadable {
		return err
	}
	detail := cmp.Or(mv.Status.Detail, a.Detail())
	s.memo.end(a, mv)
	mv.Status.Detail = detail
	return nil
}

// maxEarly limits how long the poller keeps reading the resource after the status monitor has
// reported success.
const maxEarly = 10 * time.Minute

// settle interprets the resource after the status monitor has reported success. While the resource
// is in progress, settle keeps polling it (recorded shapes, section 4).
//
// A word that is unusual for a running operation, such as Ready, may never change, so settle treats
// such a word as a success.
func (s *step) settle(a *strategy.Answer, mv *strategy.Move) error {
	if !isOKOrCreated(a.Code) {
		return strategy.ErrNoStatus
	}
	if !json.Valid(a.Body) {
		return strategy.ErrNotJSON
	}

	doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
	word := document.Text(doc.ResourceState())
	reported := doc.StatusOf(a, word)
	hasFailed := s.memo.Created && isFailure(reported.State)
	isEarly := hasFailed || document.IsRunning(a, word)
	if isEarly && s.hasTime() {
		mv.Status = a.Status
		mv.Status.State = strategy.InProgress
		mv.Status.Word = word
		mv.Status.Unconfirmed = true
		mv.Poll = a.Poll
		mv.Inline = true
		s.remember(a, mv)
		return nil
	}

	if hasFailed {
		mv.Status = reported
		return nil
	}
	mv.Status = a.Status
	mv.Status.State = strategy.Succeeded
	mv.Status.Unconfirmed = false
	mv.Result = strategy.Result{URL: a.Poll, Body: a.Body}
	return nil
}

func isFailure(s strategy.State) bool { return s == strategy.Failed || s == strategy.Canceled }

// hasTime reports whether less than maxEarly has passed since its first call. The memo stores the
// operation's age at that call.
func (s *step) hasTime() bool {
	if s.memo.Early == 0 {
		s.memo.Early = max(int64(s.in.Age/time.Second), 1)
		s.isNew = true
	}
	return s.in.Age < time.Duration(s.memo.Early)*time.Second+maxEarly
}
