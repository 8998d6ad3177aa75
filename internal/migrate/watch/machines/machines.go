// Package machines declares a typed client that resembles the output of a code generator.
package machines

import "context"

// A Machine is a virtual machine.
type Machine struct {
	Name  string
	State string // such as Creating, Booting, Running or Broken
}

// State returns a machine's state.
func State(m *Machine) string { return m.State }

// A Client reads machines. Get returns an *Error if the service rejects the request.
type Client interface {
	Get(ctx context.Context, name string) (*Machine, error)
}

// An Error reports a rejected request.
type Error struct{ Code int }

// Error returns a message that does not contain the status code.
func (e *Error) Error() string { return "the service rejected the request" }

// StatusCode returns the status code. poller.Watch looks for this method.
func (e *Error) StatusCode() int { return e.Code }
