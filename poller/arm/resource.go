package arm

import (
	"net/http"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// resource follows the provisioningState of the resource itself.
func (s *step) resource() error {
	if s.First && s.Code != http.StatusAccepted {
		return s.beginResource()
	}

	switch s.Code {
	case http.StatusAccepted:
		s.move.Status = document.Progress(s.Answer)
		s.pollResource()
		return nil
	case http.StatusNoContent:
		s.succeed()
		return nil
	case http.StatusOK, http.StatusCreated:
		return s.readResource()
	}
	return strategy.ErrNoStatus
}

// beginResource interprets a first 200, 201 or 204. After a 201 without a body, the resource is
// still being created.
func (s *step) beginResource() error {
	isEmpty := jsonread.IsEmpty(s.Body)
	if isEmpty && s.Code == http.StatusCreated {
		s.move.Status.State = strategy.InProgress
		s.pollResource()
		return nil
	}

	isObject := jsonread.IsObject(s.Body)
	if !isObject || s.Code == http.StatusNoContent {
		return s.resultInHand()
	}
	return s.readResource()
}

// readResource ends the operation with the resource as its result, or keeps polling the resource.
func (s *step) readResource() (err error) {
	s.move.Status, err = document.ResourceStatus(s.Answer)
	if err != nil {
		return err
	}

	if s.move.Status.State.Terminal() {
		s.move.Result.Body = s.Body
		return nil
	}
	s.pollResource()
	return nil
}

// pollResource makes the resource the next URL to read.
func (s *step) pollResource() {
	s.move.Poll = s.Target
	s.move.Inline = true
	s.remember()
}
