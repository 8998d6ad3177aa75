// Package poller follows a long-running operation from the response that started
// it to its result or its error.
//
// Most callers need only [Begin] and [Poller.PollUntilDone]:
//
//	p, err := poller.Begin[Widget](req, client, nil)
//	if err != nil {
//		return err
//	}
//	widget, err := p.PollUntilDone(ctx)
//
// Use [Poller.Updates] to show progress, and [Poller.Poll] with [Poller.NextPoll] to
// drive the operation from a loop of your own, such as a reconciler. A [Group] waits
// for many operations. [Watch] follows anything else that a function can read, such as what
// a typed client returns. [Poller.ResumeToken] and [Resume] carry an operation to another
// process. If the result is the first page of a listing, let T be json.RawMessage and
// continue with [github.com/lro-go/lro/pager.Continue].
//
// # How an operation is followed
//
// A [Strategy] knows the protocol. Without one in the [Options], the response chooses
// one of the strategies of Azure Resource Manager; see [ARM]. Everything else is the
// same for all strategies: when the status is read ([Cadence]), how long unreadable
// statuses are tolerated ([Patience]), where requests may go (Options.Origins), how much
// is read, and what a token holds. Package [github.com/lro-go/lro/poller/ibmcloud] has
// the strategies of IBM Cloud; examples/aip151 shows how to write one.
//
// An operation is in one of three phases: polling, while it is in progress; reading,
// once it has succeeded and its result is at a URL that has not been read; and ended.
//
// Succeeded, Failed and Canceled end an operation, and so do Completed and Cancelled,
// which some services write; upper and lower case do not matter. Options.Words adds the
// words of a service. Every other word means in progress.
//
// # The result
//
// After Azure-AsyncOperation, PUT and PATCH read the URL of the first request; POST
// reads the Location or, if there is none, uses the status document. After
// Operation-Location, the Location is read if FinalStateVia says so; otherwise the
// document's resourceLocation; otherwise the same rules apply. Location and
// provisioningState end with the result already read. A DELETE has no result, unless its
// final Location response has a body. An empty result leaves T zero.
//
// # When the status is read
//
// A response that reports a status sets the time of the next read: after its
// Retry-After, within 10 s and 10 min; otherwise after the last Retry-After; otherwise
// after 60 s. A minute does not suit every caller: Cadence.First makes the first pauses
// short and lets them grow. If the service asked for a pause that ends after the context's deadline,
// the wait ends at once with a WaitError that says so. A pause of our own is shortened to
// fit, but never below the lower bound.
//
// Schedules use the wall clock, and a wait looks at it at least once a minute, so that
// a read that fell due while the machine was suspended is made when it wakes up.
//
// # What a wait survives
//
// A failed read changes nothing that is known about the operation. A missing response,
// 206, 408, 424, 5xx, and an unreadable or oversized body are tolerated for 30 minutes
// and at least 5 reads, a 404 for 5 minutes and at least 3; Retry-After is obeyed as
// given, up to a day. An empty body that ends when the connection closes counts as
// unreadable, because it may have been cut off. Only the time spent trying counts, not
// downtime. A 429, or a 503 with Retry-After, is not a failure: it moves the next read, and is
// obeyed for a day without another response. A 401 is retried
// once within the same read, and a 403 on a resource that was just created is tolerated.
// Any other 4xx, an invalid certificate and a foreign origin end the wait at once; but at
// a Location, 400, 402, 409, 412 and 422 are the operation's own failure, as they would
// have been for the synchronous call, unless the body is HTML or broken JSON.
//
// When the status of a DELETE is lost, the resource is read: a 404 there means that the
// deletion is done. While the resource exists, status and resource are read in turn.
// [CrossCheck] reads another document, and does the same for other verbs.
//
// # What no client can know
//
// Some services report more, or less, than the truth. Two strategies wrap others to deal
// with such services:
//
//   - [Confirm], if Succeeded comes too early: the success counts only once a check,
//     usually of the resource, agrees. Until then the operation is InProgress and
//     Status.Unconfirmed is set.
//   - [CrossCheck], if the status gets lost or never ends: before a wait ends because the
//     status is gone, unreadable or refused, and next to each status of an operation that
//     is overdue, the check may end the operation.
//
// Some services refuse a request, or fail the operation, with an error that means "try
// again later". The poller does not start such an operation again. To do that, write a loop
// around [Begin] that checks the error with [Retryable], as its Example does. A request
// whose response was lost is different: package transport repeats it, and the service may
// start the operation twice; see [Begin].
//
// Options.Words adds a service's terminal words. As a key, "" stands for a 200 without a
// body, with which some services end an operation (quirk W6).
//
// # Many operations
//
// A [Group] waits for any number of operations on one schedule and yields each as it
// ends. It reads each as PollUntilDone would, but it spreads reads that fall due together,
// and no read sleeps before a retry, because that would hold up the others. Services that
// are silent or throttled do not delay the reads of others. If the loop over the operations
// is slow, it holds back reads, so that results do not pile up.
//
// # Logging
//
// Options.Logger gets one record for each read, at level Debug, with the context of the
// call that read, so that a handler finds what a tracer has stored there:
//
//   - "lro: poll", for each read of the status. url is where the status is read next,
//     state and word are the status last known, status is the code of the response that
//     reported it, and next is the time of the next read. After a failed read there are
//     also error and failures, the number of failed reads in a row. A [Watch] has its name
//     in place of url.
//   - "lro: result", for each read of a result: url, and error if the read failed.
//   - "lro: panic", at level Error, if code that the caller provided for an operation of
//     a Group panics: url, error and stack. [Group.Wait] then panics with the same value,
//     in another goroutine, whose stack does not show the cause.
//
// A read that the end of the context cuts short is not logged, and neither is the
// request that started the operation. Package transport can log every HTTP request. No
// record holds a query, a credential or a token.
//
// # Concurrency
//
// The methods of a Poller may be called from several goroutines. One read runs at a time:
// the caller that reads holds the turn, and PollUntilDone, Updates, Poll and Result wait
// for it or for their context. Done, Status, NextPoll, URL, ResultURL, ResumeToken and WakeUp never
// wait for I/O. A Group takes its own lock before the lock of a Poller, never the other
// way round, and no lock is held while a Strategy, a Doer, a Logger, or a function given to
// Watch runs.
//
// A panic in one of these, or in an UnmarshalJSON method, reaches the goroutine that
// called PollUntilDone, Updates, Poll or Result, or that ranges over Group.Wait. The turn
// is released first, the Poller is as it was before the read, and the next call continues.
//
// # Origins and secrets
//
// A URL that the service names is followed only to the origin of the first request or to
// one of Options.Origins, never from https to http, and never with user-info. Of the first
// request's headers, only the client request id, the correlation id and Accept-Language
// are sent with polls. Set Authorization in the Doer, or with Options.Header.
//
// # Tokens
//
// A resume token is the poller's record of the operation, as JSON that does not depend
// on the types of a program:
//
//	{
//	  "lro": 1,                    // version
//	  "phase": "polling",          // or "reading", "ended", and "unfollowed" until the options can follow it
//	  "method": "PUT",             // of the request that started the operation
//	  "target": "https://…",       // its URL
//	  "header": {…},               // of its headers, those sent with every poll
//	  "created": true,             // the first response was a 201 to a PUT
//	  "finalStateVia": "location", "resultPointer": "/properties", "words": {…},
//	  "poll": "https://…",         // where the status is read next
//	  "else": "https://…",         // what is read in turn with it
//	  "inline": true,              // the next response may hold the result
//	  "memo": {…},                 // what the strategy remembers
//	  "status": {"state": "InProgress", …},
//	  "result": {"url": "https://…"}, // or its JSON as "body", and "from", the URL that gave it
//	  "began": "…", "lastRead": "…", "nextPoll": "…", "pause": "1m0s",
//	  "retryAfter": "30s",         // the pause that the service last asked for
//	  "asked": true,               // the service asked for the pause before nextPoll
//	  "held": true,                // nothing is sent before nextPoll
//	  "now": 1,                    // the strategy asked for this many reads at once, in a row
//	  "failures": {"count": 2, "spent": "1m10s", …}, // the unbroken run of failed reads
//	  "lost": "Gone",              // the strategy continued the wait when it was about to end so
//	  "first": {…}                 // the first response, while unfollowed
//	}
//
// Absent members are empty. The options are not in the token: give them to Resume again.
// A token whose Strategy was wrapped in Confirm or CrossCheck needs the same wrapper. A
// later release may add members, and reads the tokens of this one; a change of meaning is
// a new version. A token is read as hostile input and is at most 64 KiB. It holds no
// credentials except in URLs, which may be signed.
//
// # Sources
//
// Comments name the specifications: the asynchronous API reference and the resource
// provider API v2.0, both of Azure Resource Manager's RPC, and RFCs. "Quirk W31" and
// similar names refer to the ways in which real services depart from these. The table in
// docs/quirks.md lists them with the option that helps, and the transcripts in
// testdata/quirk-*.http replay them. More Examples are in package lro, the root.
package poller
