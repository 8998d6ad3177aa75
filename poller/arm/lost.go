package arm

import (
	"encoding/json"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// lost decides how to continue when the wait is about to end without a status. It uses the terminal
// state from the first response or, if that response showed the resource being created, makes the
// poller read the resource (resource provider API, "Creating a resource").
func (p protocol) lost(a *strategy.Answer, in strategy.Situation, mv *strategy.Move, way *strategy.Detour) error {
	m, _ := readMemo(a.Memo) // the memo may belong to another strategy
	if in.Once {
		m.end(a, mv)
		return nil
	}

	isRefused := in.Lost == lroerrors.ReasonRefused
	isResource := a.Poll == a.Target // the poller already reads the resource
	if m.Created && !isRefused && !isResource {
		return p.startCheck(a, in, mv, way)
	}
	if isChecking(a.Memo) {
		return p.check(a, in, mv, way)
	}
	return nil
}

// startCheck makes CrossCheck read the resource from now on.
func (p protocol) startCheck(a *strategy.Answer, in strategy.Situation, mv *strategy.Move, way *strategy.Detour) error {
	own := *a
	m, _ := readMemo(a.Memo) // the memo may belong to CrossCheck
	if m.Strategy != "" {
		m.Checked = true
		own.Memo = m.text()
	}
	return p.check(&own, in, mv, way)
}

// isChecking reports whether startCheck has made CrossCheck read the resource.
func isChecking(text json.RawMessage) bool { return innerMemo(text).Checked }

// innerMemo returns the inner memo of a CrossCheck memo, or the zero memo if there is none.
func innerMemo(text json.RawMessage) memo {
	inner, _ := jsonread.Pointer(text, "/inner")
	m, _ := readMemo(inner)
	return m
}

// check passes a response to CrossCheck, which also reads the resource. Except after a DELETE, only
// a terminal provisioningState shows that the operation has ended, because the resource may have
// existed before.
func (p protocol) check(a *strategy.Answer, in strategy.Situation, mv *strategy.Move, way *strategy.Detour) (err error) {
	var c check.Check
	if a.Method != http.MethodDelete {
		c.State = explicitState
	}
	*mv, *way, err = check.StepIn(check.CrossCheck(unchecked(p), c), *a, in)
	innerMemo(a.Memo).findReason(a, mv, way)
	return err
}

// explicitState returns the State of a resource, or InProgress if the response is not a 200 or has
// no provisioningState.
func explicitState(a strategy.Answer) strategy.State {
	doc, _ := document.Parse(a.Body) // if the body is not an object, doc has no members
	word := document.Text(doc.ResourceState())
	if word == "" || a.Code != http.StatusOK {
		return strategy.InProgress
	}
	return a.State(word)
}

// An unchecked protocol does not call CrossCheck, so that CrossCheck can wrap it.
type unchecked protocol

// Step implements [strategy.Strategy].
func (p unchecked) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := p.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (p unchecked) StepIn(a strategy.Answer, in strategy.Situation) (mv strategy.Move, way strategy.Detour, err error) {
	switch {
	case in.Once:
		err = protocol(p).lost(&a, in, &mv, &way)
	case in.Lost == "":
		err = interpret(protocol(p), &a, in, &mv, &way)
	}
	return mv, way, err
}

// ProtocolName returns the strategy's name.
func (p unchecked) ProtocolName() string { return string(p) }
