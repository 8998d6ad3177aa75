// Package bridge combines this module with azcore, so that a client can migrate method by
// method, or use both.
//
//	poller.Begin[T](req, bridge.Doer(pl), nil)                   // our poller, their pipeline
//	bridge.NewPoller[T](resp, pl, nil)                           // their poller, our strategies, their pipeline
//	runtime.NewPipeline(…, bridge.ClientOptions(nil))            // their poller, their pipeline, our transport
//
// Without this package, an azcore Transporter already is a poller.Doer.
//
// # What each keeps
//
// The guarantees are described in package poller. [Doer] runs our poller over a pipeline,
// [Handler] runs azcore's poller over ours, and [ClientOptions] runs azcore's poller over our
// transport.
//
//	                                                    Doer  Handler  ClientOptions
//	a failure is never a success; words; quirks         yes   yes      no: azcore's rules
//	the schedule, Retry-After within 10 s and 10 min    yes   yes      no
//	404, 5xx, HTML and lost answers are survived        yes   yes      no: retried for a while
//	foreign origins are not asked, nor by a token       yes   yes      redirects only
//	redirects stay within the origins                   *     *        yes
//	a result that was not read can be read again        yes   yes      not after a 4xx
//	a status is bounded in memory, unless an error      yes   yes      no
//	errors hold no query and no credential              yes   yes      no
//	a pause beyond the deadline ends the wait at once   yes   no       no
//	a WaitError with a token when the context ends      yes   no       no
//	ResumeToken in every state                          yes   no       no
//	several goroutines; Updates, Group, WakeUp          yes   no       no
//	azcore's credential and challenges (CAE), logs,
//	telemetry, registration of resource providers       yes   yes      yes
//	azcore's retries                                    yes   yes      no: ours
//	*azcore.ResponseError                               no    yes      yes
//	azcore's tracer                                     no    yes      yes
//
// "No" of a handler is azcore's loop, not the handler: it sleeps into deadlines, returns
// the bare error of the context, and has no token once an operation has ended. The star
// is for a client under the pipeline that has transport.CheckRedirect; see [Doer].
//
// # Tokens
//
//	started by       resumed by
//	azcore           poller.Resume, [Resume], [NewPollerFromResumeToken]
//	a handler        [Resume], [NewPollerFromResumeToken]
//	our poller       poller.Resume, [Resume]; and [Azcore] makes azcore's poller of that
//
// Azcore's own handlers do not take our tokens. Before a client returns
// to them, it must wait for the operations that it has started.
package bridge
