// Package lroazcore lets one program use lro, the module that contains package poller, together
// with azcore. A client can migrate one method at a time, or keep using both modules.
//
// # An lro poller over an azcore pipeline
//
// [Doer] sends the requests of a poller or a pager through a pipeline, with its credential,
// policies, retry options, logs and telemetry.
//
//	p, err := poller.Begin[Account](req, lroazcore.Doer(pl), nil)
//
// # An lro poller for a generated client
//
// [Follow] starts an operation with any Begin method and returns an lro poller. It works although
// the client hides its pipeline, the response and the location of the result. To resume such an
// operation, use [DoerOf].
//
//	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[Response], error) {
//		return client.BeginCreate(ctx, "name", account, &BeginCreateOptions{ResumeToken: token})
//	}, nil)
//
// # An azcore poller with lro's strategies
//
// [NewPoller] and [NewPollerFromResumeToken] replace azcore's functions in a client whose callers
// expect a *runtime.Poller, and [FollowPoller] makes such a poller from a Begin method. azcore
// decides when to read, based on its caller's Frequency. lro's strategies interpret the responses.
// An lro poller behind azcore's poller tolerates failed reads and limits the origins; [Of] returns
// it.
//
//	return lroazcore.NewPoller[Account](resp, pl, nil)
//
// # Errors
//
// [ResponseError] converts lro's errors to *azcore.ResponseError, and [ErrorOf] converts them back.
// [StatusOf] makes a poller.Watch understand azcore errors from a typed getter.
//
// # The lro transport
//
// [Token] gets access tokens from an azidentity credential. [ClientOptions] makes an azcore client
// use the lro transport.
//
//	client := transport.NewClient(&transport.Options{Token: lroazcore.Token(cred, nil)})
//
// # Which to choose
//
// Doer and Follow keep the guarantees of package poller, with two exceptions. The HTTP client below
// the pipeline decides which redirects to follow (see Doer). azcore reads the body of an error
// response, and with Follow every body, without a size limit. With ClientOptions, azcore's own
// poller interprets the responses. A table in the README of this module compares them.
//
// # Resume tokens
//
//	started by       resumed by
//	azcore           poller.Resume, Resume, NewPollerFromResumeToken
//	NewPoller        Resume, NewPollerFromResumeToken (FollowPoller: Resume with DoerOf)
//	an lro poller    poller.Resume, Resume
//
// azcore's own handlers accept only azcore's own tokens.
package lroazcore
