// Package lroazcore combines this module with azcore in one program, so that a client can move
// method by method, or use both.
//
// # Our poller over an azcore pipeline
//
// [Doer] sends the requests of a poller or a pager through a pipeline, with its credential,
// policies, logs and telemetry. Retry options that a caller sets with policy.WithRetryOptions
// keep their meaning.
//
//	p, err := poller.Begin[Account](req, lroazcore.Doer(pl), nil)
//
// # Our poller for a generated client
//
// [Follow] starts an operation with any Begin method and returns our poller. The client may hide
// its pipeline, the response and where the result is. [DoerOf] resumes such an operation.
//
//	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[armstorage.AccountsClientCreateResponse], error) {
//		return client.BeginCreate(ctx, "group", "account", account, &armstorage.AccountsClientBeginCreateOptions{ResumeToken: token})
//	}, nil)
//
// # An azcore poller with our strategies
//
// [NewPoller] and [NewPollerFromResumeToken] replace azcore's functions in a client whose callers
// expect a *runtime.Poller. azcore decides when to read, at its caller's Frequency. Our strategies
// interpret the responses, tolerate failed reads and limit the origins. [Of] returns our
// poller behind it, for a controller that requeues at NextPoll, or a poller.Group.
//
//	return lroazcore.NewPoller[Account](resp, pl, nil)
//
// # Errors
//
// [ResponseError] lets errors.As find an *azcore.ResponseError in our errors. [StatusOf] reads
// azcore's errors for a poller.Watch over a typed getter.
//
//	_, err := p.PollUntilDone(ctx)
//	return lroazcore.ResponseError(err)
//
// # Our transport
//
// [Token] gets tokens from a credential of azidentity for package transport, and [ClientOptions]
// puts our transport below an azcore client.
//
//	client := transport.NewClient(&transport.Options{Token: lroazcore.Token(cred, nil)})
//
// # What each keeps
//
// The guarantees are described in package poller. "Doer" stands for our poller, by Doer or Follow;
// "NewPoller" for azcore's poller over our strategies; "ClientOptions" for azcore's poller over
// our transport.
//
//	                                                    Doer  NewPoller  ClientOptions
//	a failure is never a success; words; quirks         yes   yes        no: azcore's rules
//	our schedule, and the first read after a pause      yes   no         no
//	Cadence.Min between two reads                       yes   yes        no
//	survives 404, 5xx, HTML and lost responses          yes   yes        no: retried for a while
//	no request to another origin, even by a token       yes   yes        redirects only
//	redirects stay within the origins                   *     *          yes
//	a result that was not read can be read again        yes   yes        not after a 4xx
//	a status is bounded in memory, unless an error      **    yes        no
//	errors hold no query and no credential              yes   yes        no
//	a pause beyond the deadline ends the wait at once   yes   no         no
//	a WaitError with a token when the context ends      yes   by Of      no
//	ResumeToken in every state                          yes   by Of      no
//	several goroutines; Updates, Group, WakeUp          yes   by Of      no
//	azcore's credential and challenges (CAE), logs,
//	telemetry, registration of resource providers       yes   yes        yes
//	azcore's retries                                    yes   yes        no: ours
//	*azcore.ResponseError                               ***   yes        yes
//	azcore's tracer for the poller                      no    no         yes
//
// (*) If the client below the pipeline has transport.CheckRedirect; see [Doer]. (**) Not by Follow,
// where azcore reads every body. (***) With [ResponseError]. "No" in the second column comes from
// azcore's loop: it sleeps into deadlines, returns the bare error of the context, and has no token
// once an operation has ended.
//
// # Tokens
//
//	started by       resumed by
//	azcore           poller.Resume, Resume, NewPollerFromResumeToken
//	NewPoller        Resume, NewPollerFromResumeToken
//	our poller       poller.Resume, Resume
//
// Azcore's own handlers do not accept our tokens. Before a client returns to them, it must wait
// for the operations that it has started.
package lroazcore
