// Package lroazcore combines this module with azcore in one program, so that a client can migrate
// one method at a time, or use both.
//
// # Our poller over an azcore pipeline
//
// [Doer] sends the requests of a poller or a pager through a pipeline, with its credential,
// policies, retry options, logs and telemetry.
//
//	p, err := poller.Begin[Account](req, lroazcore.Doer(pl), nil)
//
// # Our poller for a generated client
//
// [Follow] starts an operation with any Begin method and returns our poller. The client may hide
// its pipeline, the response and the location of the result. [DoerOf] resumes such an operation.
//
//	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[Response], error) {
//		return client.BeginCreate(ctx, "name", account, &BeginCreateOptions{ResumeToken: token})
//	}, nil)
//
// # An azcore poller with our strategies
//
// [NewPoller] and [NewPollerFromResumeToken] replace azcore's functions in a client whose callers
// expect a *runtime.Poller, and [FollowPoller] makes one from a Begin method. azcore decides when to
// read, based on its caller's Frequency. Our strategies interpret the responses, tolerate failed
// reads and limit the origins. [Of] returns our poller from inside azcore's, which has NextPoll.
//
//	return lroazcore.NewPoller[Account](resp, pl, nil)
//
// # Errors
//
// [ResponseError] turns our errors into an *azcore.ResponseError, and [ErrorOf] returns ours from it.
// [StatusOf] reads azcore's errors for a poller.Watch over a typed getter.
//
// # Our transport
//
// [Token] gets tokens from an azidentity credential. [ClientOptions] puts our transport below azcore.
//
//	client := transport.NewClient(&transport.Options{Token: lroazcore.Token(cred, nil)})
//
// # Which to choose
//
// Doer and Follow keep all guarantees of package poller. With ClientOptions, azcore's own poller
// interprets the responses. The README of this module compares them, row by row.
//
// # Tokens
//
//	started by       resumed by
//	azcore           poller.Resume, Resume, NewPollerFromResumeToken
//	NewPoller        Resume, NewPollerFromResumeToken (FollowPoller: Resume with DoerOf)
//	our poller       poller.Resume, Resume
//
// azcore's own handlers reject our tokens.
package lroazcore
