// Package lro is a Go SDK for the long-running management operations of Azure
// Resource Manager, IBM Cloud and similar services. It follows an operation from
// the response that started it to its typed result or its typed error.
//
// It is for authors of management clients, Terraform providers and Kubernetes
// controllers, where an operation may take days, must survive a restart, and must
// not be reported as something it was not. If a client generated for azcore waits
// some minutes in one process, azcore's own poller is enough; for one private API
// with one kind of operation, so is a loop.
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
// The packages:
//
//   - [github.com/lro-go/lro/poller]: follows one operation, what a function reads, or many in a Group; start here
//   - [github.com/lro-go/lro/poller/ibmcloud]: the strategies of IBM Cloud
//   - [github.com/lro-go/lro/poller/lroazcore]: poller and azcore together; a module of its own
//   - [github.com/lro-go/lro/poller/lrotel]: OpenTelemetry spans and metrics; a module of its own
//   - [github.com/lro-go/lro/poller/lrotf]: resources of Terraform providers; a module of its own
//   - [github.com/lro-go/lro/pager]: reads a listing of any size, page by page
//   - [github.com/lro-go/lro/transport]: makes one HTTP exchange reliable
//   - [github.com/lro-go/lro/errors]: the error types
//   - [github.com/lro-go/lro/fakes]: services to test a client against
//
// An operation is in progress until the service reports a terminal state:
//
//	New, Begin, Resume
//	        |
//	        v
//	   InProgress <-----> read again at NextPoll, also after a failed read
//	    |   |   |
//	    |   |   +-------> *WaitError: we stopped, the operation did not
//	    |   +-----------> Failed, Canceled: *OperationError
//	    v
//	Succeeded ----------> the result, or *ResultError: read it again
//
// # Contexts and deadlines
//
// Every call that sends or waits takes a context. The end of the context ends the
// wait, not the operation: call again, or continue from a resume token. Our own
// pauses are shortened to fit a deadline. If a pause that the service asked for
// outlasts it, the wait ends at once; the error says when the next read is due.
//
// # When the status is read
//
// When the service asks for it with Retry-After, but not earlier than after 10 s
// and not later than after 10 min; otherwise as it last asked; otherwise every
// minute. After a failed read, Retry-After is obeyed for up to a day. NextPoll
// returns that time, for callers with a queue of their own: they call Poll and, at
// the end, Result. Neither waits. poller.Cadence moves the bounds.
//
// # Errors
//
// A file that checks an error imports
//
//	import (
//		"errors"
//
//		lroerrors "github.com/lro-go/lro/errors"
//	)
//
// and checks in this order, because each error may wrap one of those below it:
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
//		return "it failed or was canceled"
//	case errors.As(err, &result):
//		return "it succeeded; read the result again"
//	case errors.As(err, &wait):
//		return "we stopped waiting; store wait.ResumeToken() and resume later"
//	case errors.As(err, &status):
//		return "a request was refused or got no response"
//	}
//
// # Resuming
//
// ResumeToken works in every state. A token holds no credentials except its URLs,
// which may be signed. poller.Resume continues the operation in another process;
// Options.Origins says which origins it may read. It accepts azcore's tokens too.
//
// # Security
//
// A URL from the service is followed only to the origin of the first request, or
// to one that the caller has named. No error and no log record of this module
// contains a query string, a credential or a token. Every body has a size limit.
//
// # Testing
//
// A fakes.Service speaks the real protocols, in memory, and fails on demand. In a
// testing/synctest bubble an operation of three days takes no time and no option.
//
// # Concurrency
//
// A Poller may be used by several goroutines: one reads at a time, and methods that
// only inspect it never wait. A poller.Group is safe for concurrent use too; a Pager
// is for one goroutine. No goroutine outlives the call that started it.
//
// # Compatibility
//
// Go 1.26 or later. Before v1 the API may change; CHANGELOG.md says how. Resume
// tokens are versioned JSON, independent of the program's types.
package lro
