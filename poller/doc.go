// Package poller follows a long-running operation, beginning with the response to the request that
// started it, until it has a result or an error.
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
//   - [Poller.Poll], NextPoll and Result never wait and suit a loop of your own.
//   - [Group] waits for any number of operations on one schedule.
//   - [Watch] follows anything that a function can read.
//   - [Poller.ResumeToken] and [Resume] carry an operation to another process.
//   - If the result is the first page of a listing, let T be json.RawMessage and continue with
//     [github.com/lro-go/lro/pager.Continue].
//
// A [Strategy] knows the protocol. By default, the poller chooses a strategy of Azure Resource
// Manager from the first response; see [arm.Auto]. To name a strategy, import package
// [github.com/lro-go/lro/poller/arm], or [github.com/lro-go/lro/poller/ibmcloud] for IBM Cloud, or
// [github.com/lro-go/lro/poller/resource] for a service whose resource shows a status. To write
// one, read docs/writing-a-strategy.md. [Confirm] and [CrossCheck] wrap a strategy for a service
// that reports success too early or loses the status. [Cadence], [Patience], origins, size limits
// and tokens work the same with every strategy.
//
// A wait ends with the result or with one error of package [github.com/lro-go/lro/errors]: the
// operation failed or was canceled, its result could not be read, or the wait stopped and can be
// resumed.
//
// These pages of https://github.com/lro-go/lro/tree/main/docs have the details: pace.md (schedules
// and deadlines), errors.md, tokens.md, authenticate.md, concurrency.md (locks, panics and which
// calls may wait), and watch.md.
//
// Comments cite RFCs and two parts of Azure Resource Manager's RPC: the asynchronous API reference
// and the resource provider API v2.0. "Quirk W31" is a row of docs/quirks.md, which lists how real
// services depart from them.
package poller
