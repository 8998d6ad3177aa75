package poller

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/lro-go/lro/internal/jsonread"
)

var errNotResource = errors.New("the body is not a JSON object")

// stepResource follows the provisioningState of the resource itself.
func (m armMemo) stepResource(a *Answer) (Move, error) {
	if a.First && a.Code != http.StatusAccepted {
		return m.beginResource(a)
	}
	switch a.Code {
	case http.StatusAccepted:
		return m.pollResource(progress(a), a), nil
	case http.StatusNoContent:
		return Move{Status: Status{State: Succeeded}}, nil
	case http.StatusOK, http.StatusCreated:
		return m.readResource(a)
	}
	return Move{}, ErrNoStatus
}

// beginResource interprets a first 200, 201 or 204. After a 201 without a body, the resource is
// still being created.
func (m armMemo) beginResource(a *Answer) (Move, error) {
	if a.Code == http.StatusCreated && jsonread.IsEmpty(a.Body) {
		return m.pollResource(Status{State: InProgress}, a), nil
	}
	if a.Code == http.StatusNoContent || !jsonread.IsObject(a.Body) {
		return resultInHand(a)
	}
	return m.readResource(a)
}

// readResource reads the state of a resource. A resource without a provisioningState "is assumed
// to be Succeeded" (asynchronous API reference, "ProvisioningState property"). A body that is not
// a JSON object is not a resource.
func (m armMemo) readResource(a *Answer) (Move, error) {
	doc, err := parse(a.Body)
	if err != nil {
		if json.Valid(a.Body) {
			return Move{}, errNotResource
		}
		return Move{}, errNotJSON
	}
	state := doc.provisioningState()
	switch word := text(state); {
	case isOdd(state) && !a.First:
		return Move{}, ErrNoStatus
	case isOdd(state):
		return m.pollResource(Status{State: InProgress}, a), nil
	case word == "":
		return Move{Status: Status{State: Succeeded}, Result: Result{Body: a.Body}}, nil
	case a.State(word).Terminal():
		return Move{Status: doc.status(a, word), Result: Result{Body: a.Body}}, nil
	default:
		return m.pollResource(doc.status(a, word), a), nil
	}
}

// pollResource returns the Move that keeps polling the resource.
func (m armMemo) pollResource(s Status, a *Answer) Move {
	return m.move(a, Move{Status: s, Poll: a.Target, Inline: true})
}
