package lrotf

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A Resource implements Create, Read, Update, Delete and ModifyPlan for a resource whose changes
// are long-running operations. A provider embeds a Resource in the type that has Metadata, Schema
// and Configure; see the package documentation and its Example. If one of the five methods must do
// more, the provider overrides it and calls the embedded method.
//
// M is a struct that holds the resource's attributes and blocks in fields with tfsdk tags. T is the
// service's representation of the resource. The operations that create and update the resource
// return a T as their result.
//
// The schema needs a computed string attribute for the status; see Status. A block or an attribute
// "timeouts" from terraform-plugin-framework-timeouts limits the waits.
//
// # Lost tokens
//
// Ctrl-C does not interrupt the request that starts an operation, because without its response the
// provider could not follow the operation. After the first Ctrl-C, Terraform waits for the
// provider. The token is lost after a second Ctrl-C, after kill -9, or if a CI system kills the
// build. If this happens during a creation, the state is lost as well. At the next apply, Create
// then finds the resource, does not change it, and explains how to import it. The import resumes
// the operation. If it happens during an update, the next plan reads the resource and finds the
// operation there. If it happens during a deletion, the next destroy requests the deletion again.
// Keep the timeouts and the grace period below the build's time limit.
//
// The state file contains the token. The token contains no credentials, but its URLs may be signed,
// so protect the token like the rest of the state. A forged token does no harm, because the poller
// sends requests only to poller.Options.Origins.
//
// # Tokens that cannot be used
//
// The service may delete an operation's status before the next run. Only the resource then shows
// how the operation ended. A single 404 does not prove that the service has deleted the status, so
// the next run keeps the token until it gets a 410, or until the 404s have used up the poller's
// patience.
//
// There is an exception for runs on the next day. If no run has read the status for 12 hours, a
// single 404 is enough, provided that the resource is Ready, matches the plan, and shows no
// operation in progress. The creation or the update has then succeeded. The exception does not
// apply to a deletion, or to an update whose configuration has been changed back, because the
// resource may have matched the plan even before the operation.
//
// The URL in a token may belong to an endpoint that is no longer in Origins, or a later release of
// this module may have written the token. In both cases, the next run warns, and reads the resource
// instead. If the resource shows an operation in progress, the run follows that operation. If a
// resource that was being created is not found, the apply fails and keeps the token, because the
// first creation may still be in progress. The user can then go back to the endpoint or the release
// that the token came from, or run apply with -replace to create the resource again. The next run
// also warns about a damaged token, and continues without a token.
//
// # Without a token: Watch
//
// A Poller from poller.Watch, for example one that calls a typed client, has no token. Private
// state then records only that an operation is in progress. The next run calls Resource.Get and
// follows the Poller that Get returns. As a consequence:
//
//   - If the operation fails between two runs, its error is lost, and only the resource shows the
//     failure.
//   - A resource that is not visible yet stays in the state. If it still does not exist at the next
//     apply, that apply creates it.
//   - The next run ignores the pause that the service asked for, and the failed reads of earlier
//     runs.
//   - Destroy can cancel a creation only if the Poller that Get returns can cancel it.
//   - The next destroy requests a deletion again, so the service must accept a second request.
//
// # Concurrency
//
// Set the functions before the first call, and do not change them later. The framework creates a
// new Resource for each call and makes calls concurrently, so anything that the functions share
// must be safe for concurrent use.
type Resource[M, T any] struct {
	// Name returns a resource's name for diagnostics and the log, such as widget "w1". The model is
	// a plan or a state.
	Name func(*M) string

	// BeginCreate, BeginUpdate and BeginDelete send the request that starts an operation and return
	// its Poller, from poller.Begin or poller.Watch. The Poller is already done if the service
	// responded with the result. Ctrl-C does not cancel ctx, which ends after five minutes. After a
	// *WaitError of package errors, Resource stores the error's token. After any other error,
	// Resource treats the request as not accepted, but if poller.MayHaveStarted returns true,
	// Create first looks for the resource.
	//
	// BeginCreate may set attributes of the plan that are known before the operation ends, such as
	// an id. If the creation does not finish, they are in the state. If BeginUpdate is nil, updates
	// use BeginCreate, for services whose PUT both creates and replaces.
	BeginCreate func(ctx context.Context, plan *M) (*poller.Poller[T], error)
	BeginUpdate func(ctx context.Context, plan, state *M) (*poller.Poller[T], error)
	BeginDelete func(ctx context.Context, state *M) (*poller.Poller[T], error)

	// Client returns the client and options of the Begin functions. Resource needs both to resume
	// an operation from its token. The options must have Origins. Client may be nil if every Poller
	// comes from poller.Watch.
	Client func() (poller.Doer, *poller.Options)

	// Get reads the resource, usually with this package's Get function. If the resource does not
	// exist, the error must match ErrNotFound of package errors, even if m is a plan whose id is
	// unknown. If an operation is in progress on the resource, even one that another client
	// started, Get also returns a Poller that follows it. Otherwise the Poller is nil.
	Get func(ctx context.Context, m *M) (T, *poller.Poller[T], error)

	// Set copies a T into a model. It must set every computed attribute, even while the resource is
	// being created.
	Set func(ctx context.Context, m *M, v T) diag.Diagnostics

	// Status is the name of a computed string attribute at the root of the schema;
	// "provisioning_state" by default. Set must write the word in Ready to the attribute if the
	// resource is as configured, and any other word otherwise. While an operation is in progress,
	// Resource writes the operation's status word. Any word other than the one in Ready makes the
	// next plan an update.
	Status string
	Ready  string // case does not matter; "Succeeded" by default

	// Timeout limits the wait for an operation if the timeouts block does not; 1 h by default. A
	// negative value means no limit, as for every limit in lro's options.
	Timeout time.Duration

	// Grace is how long a wait continues after Ctrl-C or SIGTERM, so that an operation that is
	// almost done can finish; none by default. The timeout still applies. If a second Ctrl-C or a
	// CI system kills the provider during this time, the token is lost.
	Grace time.Duration
}

const (
	timeoutsBlock = "timeouts"
	ready         = "Succeeded"
)

// timeout returns the time limit that Timeout sets, or its default.
func (r *Resource[M, T]) timeout() time.Duration {
	if r.Timeout < 0 {
		return math.MaxInt64 / 2 // no limit
	}
	return cmp.Or(r.Timeout, time.Hour)
}

func (r *Resource[M, T]) status() string { return cmp.Or(r.Status, "provisioning_state") }

func (r *Resource[M, T]) isReady(word string) bool {
	return strings.EqualFold(word, cmp.Or(r.Ready, ready))
}

// stored is a plan or a state.
type stored interface {
	Get(ctx context.Context, target any) diag.Diagnostics
	GetAttribute(ctx context.Context, p path.Path, target any) diag.Diagnostics
}

// start decodes Terraform's request and adds the resource's name to the log. The returned context
// ends on Ctrl-C and SIGTERM, so that the provider can return the token.
func (r *Resource[M, T]) start(ctx context.Context, from stored, schema Schema, in private, diags *diag.Diagnostics) (_ context.Context, m *M, j *job, stop func()) {
	m = new(M)
	j = &job{fallback: r.timeout(), grace: r.Grace, private: in, diags: diags}
	diags.Append(from.Get(ctx, m)...)
	if _, none := schema.TypeAtPath(ctx, path.Root(timeoutsBlock)); !none.HasError() {
		var t timeouts.Value
		diags.Append(from.GetAttribute(ctx, path.Root(timeoutsBlock), &t)...)
		j.timeouts = t
	}
	ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
	if !diags.HasError() {
		ctx = tflog.SetField(ctx, "resource", r.Name(m))
	}
	return ctx, m, j, stop
}

// doing returns the beginning of a diagnostic's summary, such as Creating widget "w1".
func (r *Resource[M, T]) doing(v verb, m *M) string {
	return map[verb]string{creating: "Creating ", updating: "Updating ", deleting: "Deleting "}[v] + r.Name(m)
}

// hasToken reports whether op has a token and the provider has a client to resume it with.
func (r *Resource[M, T]) hasToken(op *operation) bool { return len(op.Token) > 0 && r.Client != nil }

// fromToken resumes an operation that an earlier run left unfinished. If op has no usable token,
// fromToken returns nil, and the caller must read the resource. A damaged token is removed from op.
func (r *Resource[M, T]) fromToken(op *operation, j *job) (*poller.Poller[T], error) {
	if !r.hasToken(op) {
		return nil, nil
	}
	client, opts := r.Client()
	p, err := poller.Resume[T](string(op.Token), client, opts)
	j.lastRead = op.LastRead
	if !isUnusable(err) {
		return p, err
	}

	j.warnUnusable(err)
	if errors.Is(err, lroerrors.ErrBadToken) {
		op.Token = nil
	}
	return nil, nil
}

// isUnusable reports whether an error from poller.Resume or poller.Advance means the token is
// unusable with the provider's current configuration.
func isUnusable(err error) bool {
	wait, waited := errors.AsType[*lroerrors.WaitError](err)
	if waited {
		return wait.Reason == lroerrors.ReasonUnfollowable
	}
	if hasEnded(err) || isUnfinished(err) {
		return false // the token was usable, even if the result's URL has another origin
	}
	isForeign := errors.Is(err, lroerrors.ErrForeignOrigin)
	isUnreadable := errors.Is(err, lroerrors.ErrBadToken) || errors.Is(err, lroerrors.ErrNewerToken)
	return isForeign || isUnreadable
}

func (j *job) warnUnusable(err error) {
	text := "The provider reads the resource instead. " + err.Error()
	if errors.Is(err, lroerrors.ErrForeignOrigin) {
		text += "\n\n" + otherEndpoint
	}
	j.diags.AddWarning("An operation cannot be resumed", text)
}

const otherEndpoint = "The operation was started at an endpoint that the provider's configuration does not allow, " +
	"for example because the endpoint was changed. The provider sends nothing there. If the change was a mistake, undo it before the next apply."

// resume returns a Poller for an operation of an earlier run or, without a usable token, for the
// operation that the resource shows. If the resource shows none, settled is true, and the Poller's
// result is the resource. The caller must then check it, because the operation may have failed.
func (r *Resource[M, T]) resume(ctx context.Context, op *operation, m *M, j *job) (p *poller.Poller[T], settled bool, err error) {
	if p, err := r.fromToken(op, j); p != nil || err != nil {
		return p, false, err
	}
	v, p, err := r.Get(ctx, m)
	if err == nil && p == nil {
		return poller.Finished(v, nil), true, nil
	}
	return p, false, err
}
