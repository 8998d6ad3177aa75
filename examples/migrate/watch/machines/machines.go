// Package machines is a typed client, as a generator makes them.
package machines

import "context"

// A Machine is what Get returns.
type Machine struct {
	Name  string
	State string // Creating, Booting, Running, Broken
}

// State returns the word of a machine.
func State(m *Machine) string { return m.State }

// A Client reads machines. Its error is an *Error if the service refused.
type Client interface {
	Get(ctx context.Context, name string) (*Machine, error)
}

// An Error is a refusal, with the code of the response.
type Error struct{ Code int }

// Error returns a text without the code.
func (e *Error) Error() string { return "the request was refused" }

// StatusCode returns the code. Watch finds this method.
func (e *Error) StatusCode() int { return e.Code }
