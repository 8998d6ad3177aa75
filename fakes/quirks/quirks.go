// Package quirks simulates how real services depart from their contract, so that tests can check
// how a client copes.
//
//	svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
//	svc.Quirk(quirks.DeletingForever, "/widgets/w1")
//
// Most callers need only the constants and fakes.Service.Quirk. A program that takes quirk names as
// flags also needs [ByName] and [All].
//
// The documentation of each constant says what the simulated service does, which real service does
// the same, and how that affects a client. docs/quirks.md says how package poller copes.
//
// A quirk that consists of one fixed conversation has no constant. Its transcript, in the format of
// fakes.ReadTranscript, is a file in this package. For example, the transcript of the quirk
// W41/html is transcripts/W41/html.http. A Service with such a quirk answers the recorded requests
// from the transcript, regardless of the Plan.
//
//	svc.Quirk(quirks.Quirk("W41/html"), "/widgets/w1")
//
// This package defines only what each quirk changes, such as an operation's plan or the response to
// a request. The engine of package fakes handles everything else: how an operation proceeds, which
// URLs it has and what its resource looks like. The engine calls the hooks that [Quirk.Hooks]
// returns.
//
// Each file holds the quirks that affect one part of the conversation, with their hooks: the first
// response (begin.go), URLs and headers (url.go, wire.go), the status (status.go, words.go,
// lost.go, hidden.go), the end (end.go, early.go), later reads of the resource (replicas.go),
// requests that the service refuses (refused.go), and certain methods (delete.go, purge.go,
// register.go).
package quirks

import "github.com/lro-go/lro/fakes/internal/engine"

// A Quirk is a way in which a real service departs from its contract. The value is the quirk's name
// in docs/quirks.md. fakes.Service.Quirk turns the quirk on.
type Quirk string

// An entry describes and implements a quirk.
type entry struct {
	quirk   Quirk
	summary string              // what the service does, in one line
	hooks   func() engine.Hooks // returns new hooks on each call if they have state, such as a counter
}

// always returns a function that returns h on every call. The functions in h must be stateless,
// because all services share them.
func always(h engine.Hooks) func() engine.Hooks {
	return func() engine.Hooks { return h }
}
