// Package poller follows a long-running operation from the response that began
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
// Use [Poller.Updates] to show progress, and [Poller.Poll] with
// [Poller.NextPoll] to drive the operation from a loop of your own, such as a
// reconciler's. A [Group] waits for many operations. [Poller.ResumeToken] and
// [Resume] carry an operation to another process. Where the result is the first
// page of a listing, let T be json.RawMessage and go on with
// [github.com/lro-go/lro/pager.Continue].
//
// # How an operation is followed
//
// A [Strategy] knows the protocol. Without one in the [Options], the response
// chooses among those of Azure Resource Manager; see [ARM]. Everything else is
// the poller's, the same for all strategies: when to ask ([Cadence]), how long
// to bear a status that cannot be read ([Patience]), where requests may go
// (Options.Origins), how much is read, and what a token holds. Package
// [github.com/lro-go/lro/poller/ibmcloud] has the strategies of IBM Cloud;
// examples/aip151 shows how to write one.
//
// Succeeded, Failed and Canceled end an operation, in any case, and so do
// Completed and Cancelled, which are seen in the wild; Options.Words adds the
// words of a service. Every other word is in progress.
//
// # The result
//
// After Azure-AsyncOperation, PUT and PATCH read the URL of the first request,
// and POST reads that of Location, else the status document. After
// Operation-Location it is the document's resourceLocation, else the same;
// Location where FinalStateVia says so. Location and provisioningState end with
// the result in hand. A DELETE has none, unless its last Location answer has a
// body. An empty result leaves T zero.
//
// # When we ask
//
// An answer that tells a status sets the time of the next read: its Retry-After
// within 10 s and 10 min, else the pause that the service last asked for, else
// 60 s. A pause that the service asked for and that goes beyond the context's
// deadline ends the wait at once, with a WaitError that says so; a pause of our
// own is cut to fit, but never below the lower bound.
//
// # What a wait survives
//
// A read that tells no status changes nothing that is known. No answer, 408,
// 424, 429, 5xx, an unreadable or oversized body are borne for 30 minutes and at
// least 5 reads, a 404 for 5 minutes and at least 3; Retry-After is obeyed as it is
// given, up to a day. 401 is asked once more within the same read, and a 403 on a resource
// just created is borne. Any other 4xx, a certificate that does not verify and a
// foreign origin end the wait at once; but at a Location, 400, 402, 409, 412 and
// 422 are the operation's own failure, as the synchronous call would have failed.
//
// When the status of a DELETE is gone, the resource is asked instead: 404 there
// means that the operation is done. Options.CrossCheck names another document, and
// does the same for other verbs.
//
// # What no client can know
//
// Some services tell more, or less, than is so. Three of the [Options] say it for
// one of them:
//
//   - Options.Confirm, where Succeeded comes too early. The success counts once a
//     [Check], of the resource as a rule, has said so as many times in a row as
//     needed. Until then the operation is InProgress, and Status.Unconfirmed.
//   - Options.CrossCheck, where the status gets lost or never ends. Where a wait
//     would end because the status is gone, unreadable for longer than patience, or
//     refused by a 4xx other than 401 and 403, a Check is made in its place; and
//     beside each status that tells "in progress" once the operation has gone on
//     for Check.After. Of an operation that it ends, a PUT's or PATCH's result is
//     the resource, and a POST's with FinalStateViaOriginalURI; others have none, for
//     only the status told where it was.
//   - Options.Repeat, where an error is one to try again after. [Begin] sends a
//     request again that was refused so, and an operation that failed so is
//     InProgress until it has been begun again; [Retryable] tells the errors. Where
//     it cannot be begun again, it ends as it failed, and the
//     [*lroerrors.OperationError] holds the refusal too. None is begun again after a
//     [Poller.Cancel] that the service has accepted.
//
// Options.Words adds a service's terminal words, and with "" the 200 without a body
// that ends an operation (quirk W6).
//
// # Many operations
//
// A [Group] waits for any number of operations on one schedule and yields each as
// it ends. It reads each as PollUntilDone would, but spreads reads that fall due
// together, and never sleeps where a read would take the place of others.
//
// # What is logged
//
// Options.Logger gets a record of each read, at level Debug, made with the context
// of the call that read, so that a handler finds what a tracer has put there:
//
//   - "lro: poll", of each read of the status. url is where the status is asked for
//     next, state and word are the status last told, status is the code of the
//     answer that told it, and next is the time of the next read. A read that told
//     no status has error, and failures: how many in a row.
//   - "lro: result", of each read of a result that has a URL of its own: url, and
//     error where it could not be read.
//   - "lro: panic", at level Error, where what the caller has given to an operation
//     of a Group panics: url, error and stack.
//
// A read that the end of the context breaks off has no record, and neither has the
// request that began the operation. Each HTTP request has one by the Logger in the
// options of package transport. As everywhere, a URL is without its query, and no
// record holds a credential or a token. examples/timeline draws a wait from them.
//
// # Origins and secrets
//
// A URL that the service names is followed only to the origin of the first
// request or to one of Options.Origins, never from https to http and never with
// user-info. Of the first request's headers, the client request id, the
// correlation id and Accept-Language travel with every poll. No other does,
// Authorization included: set it in the Doer, or with Options.Header.
//
// # Tokens
//
// A resume token is JSON that does not depend on the types of a program:
//
//	{
//	  "lro": 1,                    // version
//	  "method": "PUT",             // of the request that began the operation
//	  "target": "https://…",       // its URL
//	  "header": {…},               // of its headers, what travels with every poll
//	  "finalStateVia": "location", "resultPointer": "/properties", "words": {…},
//	  "poll": "https://…",         // where the status is asked for next
//	  "memo": {…},                 // what the strategy remembers
//	  "cancel": {…},               // the request that cancels
//	  "status": {"state": "InProgress", …},
//	  "created": true,             // the first answer was a 201 to a PUT
//	  "inline": true,              // the next answer may hold the result
//	  "read": true,                // a poll has told a status
//	  "lastRead": "…", "nextPoll": "…", "asked": true, "retryAfterMs": 30000,
//	  "failures": {…},             // the unbroken run, if the last read failed
//	  "result": {"url": "https://…"}, // or the JSON itself as "body", and "resultFrom" the URL that gave it
//	  "confirming": true,          // it told success, and Options.Confirm is asked
//	  "checking": true,            // Options.CrossCheck is asked in place of the status
//	  "unread": true,              // because that could not be read; else it is gone
//	  "readings": {"state": "Succeeded", "count": 2}, // of such a check, in a row
//	  "began": "…",                // the operation, where CrossCheck.After is set
//	  "repeat": {"used": 1, "ended": "Failed", "refused": {…}, "canceled": true}, // of the first request
//	  "held": true,                // nothing is sent before nextPoll
//	  "first": {…}                 // the first answer, where it could not be followed yet
//	}
//
// Members that are absent are empty. The options themselves are not in it: resumed
// without them, a success that was yet to be confirmed counts, an operation that was
// to be begun again has failed, and the status is asked for where a check was; and
// one resumed without Repeat.Request has no request to send. A later release may
// add members, and reads the tokens of this one; what changes a meaning is a new
// version. A token is read like hostile input and is 64 KiB at most. It holds no
// credential but the URLs, which may be signed.
//
// # Sources
//
// Comments name the specifications: the asynchronous API reference and the
// resource provider API v2.0, both of Azure Resource Manager's RPC, and RFCs.
// "Quirk W31" and the like are departures of real services, listed below; the
// transcripts in testdata/quirk-*.http play them. Examples are in package lro, the root.
package poller
