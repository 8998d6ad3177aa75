// Package lrotel reports long-running operations as OpenTelemetry spans and metrics: a span
// for each wait, a child for each poll, and a child of the poll for each HTTP request.
//
// A program needs one [Telemetry]; its documentation lists the metrics. [Begin], [New], [Resume]
// and [Watch] correspond to the functions of package poller and take two more arguments, the
// Telemetry and a name for the kind of operation:
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
// In all other respects, an [Operation] is a *poller.Poller. Without an SDK, nothing is exported,
// so the author of a client may use this package unconditionally.
//
// # Spans
//
//   - lro.begin: the request that started the operation, with its retries.
//   - lro.wait: from [Operation.Start] to [Operation.End]. PollUntilDone calls both.
//   - lro.poll and lro.result: one read of the status or of the result, with its retries and
//     redirects. The span of a failed read has the status Error and the attribute error.type.
//   - lro.cancel: [Operation.Cancel].
//   - GET, PUT and so on: one HTTP request, as in the semantic conventions for HTTP client spans.
//     Each retry is a separate span with http.request.resend_count.
//
// Spans and metrics of HTTP requests follow OpenTelemetry's semantic conventions v1.24.0. The names
// that begin with lro are from this package.
//
// A wait is a child of the span in its context, with a link to the lro.begin of its
// operation. It is not a child of lro.begin, because an operation may last for days
// and outlive the process. [Operation.Traceparent] carries the link to the next process.
//
// A span is exported when it ends, so a process that is killed loses the span of its wait. To avoid
// a span that lasts for days, call Poll at NextPoll, as a reconciler does. Without Start, a poll is
// a child of the caller's own span.
//
// A [poller.Group] accepts an Operation. Call Start before Add, and End with the error that
// Wait yields. [Telemetry.Group] reports how many operations the group is waiting for.
//
// # Secrets
//
// Status URLs are often signed, so the URLs in spans have no query and no user-info. Queries,
// credentials and tokens are masked in the texts of errors. Spans do contain URL paths and the
// service's status words and messages.
package lrotel
