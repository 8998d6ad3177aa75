// Package lrotel reports long-running operations as OpenTelemetry spans and metrics: a span for
// each wait, a child span for each poll, and below that a span for each HTTP request.
//
// A program needs one [Telemetry], whose documentation lists the metrics. [Begin], [New], [Resume]
// and [Watch] work like the functions of package poller, and take two more arguments: the Telemetry
// and a name for the kind of operation.
//
//	tel := lrotel.NewTelemetry(nil) // the global providers
//	client := tel.Client(nil)       // transport.NewClient, with a span for each request
//
//	op, err := lrotel.Begin[Widget](tel, "create widget", req, client, nil)
//	if err != nil {
//		return err
//	}
//	widget, err := op.PollUntilDone(ctx)
//
// Use an [Operation] like a *poller.Poller. If the program has no OpenTelemetry SDK, nothing is
// exported, so a client library may use this package unconditionally.
//
// # Spans
//
//   - lro.begin: the request that starts the operation, with its retries.
//   - lro.wait: from [Operation.Start] to [Operation.End]. PollUntilDone calls both methods.
//   - lro.poll and lro.result: one read of the status or of the result, with its retries and
//     redirects. The span of a failed read has the status Error and the attribute error.type.
//   - lro.cancel: a call to [Operation.Cancel].
//   - GET, PUT and so on: one HTTP request, as in the semantic conventions for HTTP client spans.
//     Each retry is a separate span with http.request.resend_count.
//
// The spans and metrics of HTTP requests follow OpenTelemetry's semantic conventions v1.24.0. The
// names with the prefix "lro." are this package's own.
//
// A wait's span is a child of the span in its context, and has a link to the operation's lro.begin
// span. It is not a child of lro.begin, because an operation may last for days and outlive the
// process. To link a wait in another process, use [Operation.Traceparent] and [Operation.LinkTo].
//
// A span is exported when it ends, so a wait's span is lost if the process is killed. To avoid a
// span that lasts for days, call Poll at the time that NextPoll returns, as a reconciler does.
// Without Start, the span of a poll is a child of the caller's own span.
//
// A [poller.Group] accepts an Operation. Call Start before Add, and End with the error that Wait
// yields. [Telemetry.Group] reports the group's progress as metrics.
//
// # Secrets
//
// Status URLs are often signed, so the URLs in spans have no query and no user-info. In error
// messages, queries, credentials and tokens are masked. Spans do contain the paths of URLs, and the
// service's status words and messages.
package lrotel
