package arm

import (
	"net/http"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/strategy"
)

// stepResource follows the provisioningState of the resource itself.
func (m memo) stepResource(a *strategy.Answer) (strategy.Move, error) {
	if a.First && a.Code != http.StatusAccepted {
		return m.beginResource(a)
	}

	switch a.Code {
	case http.StatusAccepted:
		return m.pollResource(document.Progress(a), a), nil
	case http.StatusNoContent:
		return succeeded(), nil
	case http.StatusOK, http.StatusCreated:
		return m.readResource(a)
	}

	return strategy.Move{}, strategy.ErrNoStatus
}

// beginResource interprets a first 200, 201 or 204. After a 201 without a body, the resource is
// still being created.
func (m memo) beginResource(a *strategy.Answer) (strategy.Move, error) {
	isEmpty := jsonread.IsEmpty(a.Body)
	if isEmpty && a.Code == http.StatusCreated {
		return m.pollResource(inProgress(), a), nil
	}

	isObject := jsonread.IsObject(a.Body)
	if !isObject || a.Code == http.StatusNoContent {
		return resultInHand(a)
	}
	return m.readResource(a)
}

// readResource ends the operation with the resource as its result, or keeps polling the resource.
func (m memo) readResource(a *strategy.Answer) (strategy.Move, error) {
	s, err := document.ResourceStatus(a)
	if err != nil {
		return strategy.Move{}, err
	}

	if s.State.Terminal() {
		mv := strategy.Move{
			Status: s,
			Result: strategy.Result{Body: a.Body},
		}
		return mv, nil
	}
	return m.pollResource(s, a), nil
}

// pollResource returns the Move that keeps polling the resource.
func (m memo) pollResource(s strategy.Status, a *strategy.Answer) strategy.Move {
	return m.move(a, strategy.Move{Status: s, Poll: a.Target, Inline: true})
}
