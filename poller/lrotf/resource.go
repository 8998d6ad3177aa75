package lrotf

import (
	"cmp"
	"context"
	"errors"
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

// A Resource implements Create, Read, Update, Delete and ModifyPlan of a resource whose
// changes are long-running operations. A provider embeds it in the type that has Metadata,
// Schema and Configure; see the package documentation and its Example. A provider that
// needs one of these methods to do more defines the method and calls the embedded one.
//
// M is the struct of the resource's attributes and blocks, with tfsdk tags. T is the
// resource as the service writes it, which the operations that create and update it
// return.
//
// The schema needs a computed string attribute for the status; see Status. A block or an
// attribute "timeouts" of terraform-plugin-framework-timeouts sets how long to wait.
//
// The functions must be set before the first call, and not be changed later. The framework
// makes a new value for each call, and may call different values at the same time, so what
// the functions share must be safe for concurrent use.
type Resource[M, T any] struct {
	// Name says what a resource is called in diagnostics and in the log, such as
	// widget "w1". The model is a plan or a state.
	Name func(*M) string

	// BeginCreate, BeginUpdate and BeginDelete send the request that starts an operation
	// and return its Poller, from poller.Begin or poller.Watch. If the service answered with
	// the result, the Poller has ended. The context is not canceled by Ctrl-C and ends
	// after five minutes. Any error means that the service did not accept the request,
	// except a *WaitError of package errors, whose token is kept.
	//
	// BeginCreate may set attributes of the plan that are known before the end, such as
	// an id: a creation that is not finished is stored with them. Without BeginUpdate,
	// updates use BeginCreate, as they do if PUT creates and replaces.
	BeginCreate func(ctx context.Context, plan *M) (*poller.Poller[T], error)
	BeginUpdate func(ctx context.Context, plan, state *M) (*poller.Poller[T], error)
	BeginDelete func(ctx context.Context, state *M) (*poller.Poller[T], error)

	// Resume continues an operation from its token, usually with poller.Resume and the
	// options of the Begin functions. Nil if every Poller is a poller.Watch.
	Resume func(token string) (*poller.Poller[T], error)

	// Get reads the resource, usually with the function Get of this package. The error
	// matches ErrNotFound of package errors if the resource does not exist, which includes
	// a plan whose id is unknown. If an operation on the resource is in progress, also
	// one that somebody else started, Get also returns a Poller that follows it, otherwise nil.
	Get func(ctx context.Context, m *M) (T, *poller.Poller[T], error)

	// Set copies what the service returned into a model. It must set every computed
	// attribute, also for a resource that is still being created.
	Set func(ctx context.Context, m *M, v T) diag.Diagnostics

	// Status is the name of a computed string attribute at the root of the schema; "" means
	// "provisioning_state". Set writes Ready there if the resource is as configured, and
	// any other word if it is not. While an operation is in progress, the attribute has
	// the operation's word. Any word but Ready makes the next plan an update.
	Status string
	Ready  string // "" means "Succeeded"; upper and lower case do not matter

	// Timeout is how long to wait for an operation if the timeouts block does not say; 0
	// means 1 h.
	Timeout time.Duration

	// Grace is how much longer to wait after Ctrl-C or SIGTERM before the token is stored,
	// so that an operation that is about to end still can. It does not exceed the timeout.
	// 0 means not at all. A second Ctrl-C, or a CI system that kills the provider before the
	// period is over, loses the token.
	Grace time.Duration
}

const (
	timeoutsBlock = "timeouts"
	ready         = "Succeeded"
)

func (r *Resource[M, T]) status() string { return cmp.Or(r.Status, "provisioning_state") }

func (r *Resource[M, T]) isReady(word string) bool {
	return strings.EqualFold(word, cmp.Or(r.Ready, ready))
}

// A stored is a plan or a state.
type stored interface {
	Get(ctx context.Context, target any) diag.Diagnostics
	GetAttribute(ctx context.Context, p path.Path, target any) diag.Diagnostics
}

// start reads what Terraform sends. It fails before anything is sent. The context has the
// name of the resource for the log, and ends on Ctrl-C and on SIGTERM: Terraform passes
// on Ctrl-C with a call. A CI system that stops a process group sends SIGTERM to the provider
// too, which would kill it before it has returned the token.
func (r *Resource[M, T]) start(ctx context.Context, from stored, schema Schema, in private, diags *diag.Diagnostics) (_ context.Context, m *M, j *job, stop func()) {
	m = new(M)
	j = &job{fallback: cmp.Or(r.Timeout, time.Hour), grace: r.Grace, private: in, diags: diags}
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

// doing returns the start of a diagnostic, such as Creating widget "w1".
func (r *Resource[M, T]) doing(v verb, m *M) string {
	return map[verb]string{creating: "Creating ", updating: "Updating ", deleting: "Deleting "}[v] + r.Name(m)
}

// fromToken resumes an operation that an earlier run left. It returns nil if there is no
// token, or none that can be used: then only the resource shows what is in progress.
func (r *Resource[M, T]) fromToken(op *operation, j *job) (*poller.Poller[T], error) {
	if len(op.Token) == 0 || r.Resume == nil {
		return nil, nil
	}
	p, err := r.Resume(string(op.Token))
	if _, ok := errors.AsType[*lroerrors.WaitError](err); ok || errors.Is(err, lroerrors.ErrBadToken) {
		j.diags.AddWarning("An operation cannot be resumed", "The resource is read instead. "+err.Error())
		return nil, nil
	}
	return p, err
}

// resume returns a Poller for an operation that an earlier run left, if need be one that has
// ended with the resource. With that one, settled is set: how the operation ended is unknown.
func (r *Resource[M, T]) resume(ctx context.Context, op *operation, m *M, j *job) (p *poller.Poller[T], settled bool, err error) {
	if p, err := r.fromToken(op, j); p != nil || err != nil {
		return p, false, err
	}
	v, p, err := r.Get(ctx, m)
	if err == nil && p == nil {
		return poller.Done(v, nil), true, nil
	}
	return p, false, err
}
