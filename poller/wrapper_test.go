package poller_test

import "github.com/lro-go/lro/poller/strategy"

type answer struct {
	strategy.Answer
	strategy.Situation
}

type move struct {
	strategy.Move
	strategy.Detour
}

// A wrapper is a function that acts as the StepIn method of a [strategy.Wrapper].
type wrapper func(answer) (move, error)

func (f wrapper) Step(strategy.Answer) (strategy.Move, error) { panic("StepIn is called instead") }

func (f wrapper) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	m, err := f(answer{a, in})
	return m.Move, m.Detour, err
}
