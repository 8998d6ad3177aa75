package arm

import (
	"net/http"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// resource follows the provisioningState of the resource itself.
func (s *step) resource(a *strategy.Answer, mv *strategy.Move) error {
	if a.First && a.Code != http.StatusAccepted {
		return s.beginResource(a, mv)
	}

	switch a.Code {
	case http.StatusAccepted:
		mv.Status = document.Progress(a)
		s.pollResource(a, mv)
		return nil
	case http.StatusNoContent:
		succeed(mv)
		return nil
	case http.StatusOK, http.StatusCreated:
		return s.readResource(a, mv)
	}
	return strategy.ErrNoStatus
}

// beginResource interprets a first response that is not a 202. A 201 without a body means that the
// creation is still in progress.
func (s *step) beginResource(a *strategy.Answer, mv *strategy.Move) error {
	isEmpty := jsonread.IsEmpty(a.Body)
	if isEmpty && a.Code == http.StatusCreated {
		mv.Status.State = strategy.InProgress
		s.pollResource(a, mv)
		return nil
	}

	isObject := jsonread.IsObject(a.Body)
	if !isObject || a.Code == http.StatusNoContent {
		return s.bodyAsResult(a, mv)
	}
	return s.readResource(a, mv)
}

// readResource ends the operation with the resource as its result if the state is terminal.
// Otherwise, it keeps polling the resource.
func (s *step) readResource(a *strategy.Answer, mv *strategy.Move) (err error) {
	mv.Status, err = document.ResourceStatus(a)
	if err != nil {
		return err
	}

	if a.First {
		s.rememberCreation(a, mv.Status.Word)
	}
	if mv.Status.State.Terminal() {
		mv.Result.Body = a.Body
		return nil
	}
	s.pollResource(a, mv)
	return nil
}

// pollResource makes the poller read the resource next.
func (s *step) pollResource(a *strategy.Answer, mv *strategy.Move) {
	mv.Poll = a.Target
	mv.Inline = true
	s.remember(a, mv)
}
