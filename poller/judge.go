package poller

import (
	"encoding/json"
	"errors"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/poller/strategy"
)

// A Judge returns the Status for a read of a [Watch]. It gets the value and the error that the read
// function returned, with the error wrapped in a [*lroerrors.StatusError]. A judge must not change
// the value or keep state, because several watches can share the judge. To use a context or a
// client, write the judge as a closure (see the Example). A judge may set only State, Word,
// PercentComplete, ID, Name, StartTime, EndTime, Detail and, if the service says when to read
// again, NextPoll. An error returned with Failed or Canceled is the reason, and becomes
// OperationError.Err. With any other State, an error fails the read.
type Judge[T any] func(T, error) (Status, error)

// Until returns a judge that reports Succeeded once done(v) is true, and InProgress until then.
func Until[T any](done func(T) bool) Judge[T] {
	return func(v T, err error) (Status, error) {
		if err == nil && done(v) {
			return Status{State: Succeeded}, nil
		}
		return Status{State: InProgress}, err
	}
}

// Words returns a judge that looks up word(v), such as "Running", in the map, ignoring case and
// surrounding spaces. A word that the map lacks still ends the wait if it is a usual terminal word
// (see [State]). Any other word, including "", means meaning["*"], or InProgress if there is no
// "*".
func Words[T any](word func(T) string, meaning map[string]State) Judge[T] {
	meaning = record.LowerWords(meaning)
	return func(v T, err error) (Status, error) {
		if err != nil {
			return Status{State: InProgress}, err
		}
		w := word(v)
		st := Status{State: strategy.Answer{Words: meaning}.State(w), Word: w}
		if _, listed := meaning[strings.ToLower(strings.TrimSpace(w))]; !listed && !st.State.Terminal() && meaning["*"] != "" {
			st.State = meaning["*"]
		}
		return st, nil
	}
}

// Gone is a judge that reports Succeeded once the read finds nothing (see WatchOptions.NotFoundIs),
// and InProgress until then.
func Gone[T any](_ T, err error) (Status, error) {
	if errors.Is(err, lroerrors.ErrNotFound) {
		return Status{State: Succeeded}, nil
	}
	return Status{State: InProgress}, err
}

// Found is a judge that reports Succeeded once the read finds something, and InProgress until then.
// Only the context limits that wait.
func Found[T any](_ T, err error) (Status, error) {
	switch {
	case err == nil:
		return Status{State: Succeeded}, nil
	case errors.Is(err, lroerrors.ErrNotFound):
		return Status{State: InProgress}, nil
	}
	return Status{}, err
}

// WithReason returns a judge like j that calls why if j reports no reason.
func (j Judge[T]) WithReason(why func(T) error) Judge[T] {
	return func(v T, err error) (Status, error) {
		st, err := j(v, err)
		if err == nil && (st.State == Failed || st.State == Canceled) {
			err = why(v)
		}
		return st, err
	}
}

// errNoState is the default judge's error for a value without a provisioningState.
var errNoState = errors.New("the value has no provisioningState; give Watch a judge")

// provisioned is the default judge. It reads the provisioningState.
func provisioned[T any](v T, err error) (Status, error) {
	if err != nil {
		return Status{}, err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return Status{}, err
	}
	a := strategy.Answer{Body: body}
	word := a.Text("/properties/provisioningState")
	if word == "" {
		word = a.Text("/provisioningState")
	}
	if word == "" {
		return Status{}, errNoState
	}
	return Status{State: a.State(word), Word: word}, nil
}
