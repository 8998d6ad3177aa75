// Package lro is a Go SDK for long-running management operations, those of Azure
// Resource Manager first of all, and those of IBM Cloud. It follows an operation
// from the response that began it to its typed result or its typed error.
//
// It is for authors of management clients, of Terraform-style providers and of
// Kubernetes controllers: where an operation may take days, has to survive a
// restart, and must not be reported as something it was not. Where a client
// generated for azcore waits some minutes in one process, azcore's own poller
// will do; for one private API that has one kind of operation, so will a loop.
//
// The package itself has no code. Most callers need poller.Begin and PollUntilDone:
//
//	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
//	if err != nil {
//		return err
//	}
//	p, err := poller.Begin[Widget](req, client, nil)
//	if err != nil {
//		return err
//	}
//	widget, err := p.PollUntilDone(ctx)
//
// The map:
//
//   - [github.com/lro-go/lro/poller]: follows an operation, or many in a Group; start here
//   - [github.com/lro-go/lro/poller/ibmcloud]: the strategies of IBM Cloud
//   - [github.com/lro-go/lro/pager]: reads a listing of any size, page by page
//   - [github.com/lro-go/lro/transport]: makes one HTTP exchange dependable
//   - [github.com/lro-go/lro/errors]: what can go wrong, as types
//   - [github.com/lro-go/lro/fakes]: services to test a client against
//
// An operation is in progress until the service tells a terminal state:
//
//	New, Begin, Resume
//	        |
//	        v
//	   InProgress <-----> read again at NextPoll, also where the last read failed
//	    |   |   |
//	    |   |   +-------> *WaitError: we stopped, the operation did not
//	    |   +-----------> Failed, Canceled: *OperationError
//	    v
//	Succeeded ----------> the result, or *ResultError: ask for it again
//
// # Contexts and deadlines
//
// Whatever sends or waits takes a context. The end of the context ends the wait
// and not the operation: ask again, or go on from a resume token. A pause of our
// own is cut to fit a deadline. One that the service asked for is not: where it
// goes beyond, the wait ends at once, and its error says when the next read is
// due.
//
// # When we ask
//
// When the service says so, by Retry-After, but no sooner than after 10 s and no
// later than after 10 min; where it says nothing, as it last did; else every
// minute. After a failed read Retry-After is obeyed for up to a day. NextPoll is
// that time, for callers with a queue of their own. poller.Cadence moves the
// bounds.
//
// # Errors
//
// A file that asks for an error imports
//
//	import (
//		"errors"
//
//		lroerrors "github.com/lro-go/lro/errors"
//	)
//
// and asks in this order, because each error may hold one of those below it:
//
//	var (
//		operation *lroerrors.OperationError
//		result    *lroerrors.ResultError
//		wait      *lroerrors.WaitError
//		status    *lroerrors.StatusError
//	)
//	switch {
//	case err == nil:
//		return "here is the result"
//	case errors.As(err, &operation):
//		return "it failed or was canceled, for good"
//	case errors.As(err, &result):
//		return "it succeeded; ask for the result again"
//	case errors.As(err, &wait):
//		return "we stopped; store wait.ResumeToken() and go on later"
//	case errors.As(err, &status):
//		return "a request was refused or got no answer"
//	}
//
// # Resuming
//
// ResumeToken is legal in every state, and holds no credential but the URLs,
// which may be signed. poller.Resume takes the operation up in another process,
// where Options.Origins says which origins may be asked. It takes azcore's, too.
//
// # Security
//
// A URL that the service names is followed to the origin of the first request,
// or to one that the caller has named, and nowhere else. No error and no log
// record of ours has a query string, a credential or a token in it. Whatever is
// read is bounded.
//
// # Testing
//
// A fakes.Service speaks the real protocols, in memory, and goes wrong when
// told. In a bubble of testing/synctest an operation of three days takes no time
// and no option.
//
// # Concurrency
//
// A Poller may be used by several goroutines: one reads at a time, and what is
// known can be asked for without waiting. So may a poller.Group of many Pollers.
// A Pager is for one. No goroutine of ours outlives the call that started it.
//
// # Compatibility
//
// Go 1.26 or later. Before v1 the interface may change; CHANGELOG.md says how.
// Resume tokens are JSON with a version, whatever types the program has.
package lro
