// Package poller follows a long-running operation from the response to the request that started it
// until its result or its error is known.
//
// Most callers need only [Begin] and [Poller.PollUntilDone]:
//
//	p, err := poller.Begin[Widget](req, client, nil)
//	if err != nil {
//		return err
//	}
//	widget, err := p.PollUntilDone(ctx)
//
// Other ways to use this package:
//   - [Poller.Updates] yields each status, for a progress line.
//   - [Poller.Poll], NextPoll and Result never sleep, and suit your own loop.
//   - [Poller.ResumeToken] and [Resume] carry an operation to another process. [Advance] resumes a
//     token and makes the due reads, for a reconciler or queue.
//   - [Group] waits for any number of operations on one schedule.
//   - [Watch] follows anything that a function can read.
//   - If the result is the first page of a listing, use json.RawMessage as T and continue with
//     [github.com/lro-go/lro/pager.Continue].
//
// A [Strategy] implements a protocol. The default, [arm.Auto], chooses one of Azure Resource
// Manager's protocols based on the first response. Other strategies are in the packages arm (the
// same protocols by name), ibmcloud, aip151 (Google), redfish, fhir, and resource (any service
// whose resource shows a status). To write one, read docs/writing-a-strategy.md. [Confirm] and
// [CrossCheck] wrap a strategy for a service that reports success too early or loses the status.
//
// A wait ends with the result or with one error from package [github.com/lro-go/lro/errors]: the
// operation failed or was canceled, its result could not be read, or the wait stopped and can be
// resumed. [Classify] and [MayHaveStarted] help a program decide what to do next.
//
// These pages of https://github.com/lro-go/lro/tree/main/docs have the details: pace.md (schedules
// and deadlines), errors.md, tokens.md, authenticate.md, concurrency.md (locks, panics and which
// calls may wait), and watch.md. Comments cite RFCs and two documents of Azure Resource Manager:
// the asynchronous API reference and the resource provider API v2.0. "Quirk W31" refers to a row of
// docs/quirks.md, which lists how real services deviate from these documents.
package poller
