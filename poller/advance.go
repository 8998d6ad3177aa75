package poller

import (
	"cmp"
	"context"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Step is the outcome of one call to [Advance].
type Step[T any] struct {
	Token  string    // the token to store and pass to the next Advance; the old one if nothing was read or the new one is too large
	Next   time.Time // when to call Advance again; zero if Done is set or the operation could not be resumed
	Done   bool      // whether the operation has ended: Advance returned the result or an error with the verdict Ended
	Status Status    // the last known status; if the read failed, its ReadErr says why
	Result T         // the result, if Done is set and the error is nil
}

// String returns the status, without the token, whose URLs may be signed.
func (s Step[T]) String() string { return s.Status.String() }

// GoString returns the same text as String, so %#v does not print the token.
func (s Step[T]) GoString() string { return s.String() }

// Advance resumes an operation from its token and makes the reads that are due: one of the status,
// and one of the result once the operation has ended. It never waits, not even in package
// transport. opts must be as for [Resume].
//
// Store Step.Token in place of the old token, even after an error. The token does not record the
// error, so store the verdict of [Classify] with it. Until the next read is due, Advance returns
// the same token and no error, and the stored verdict still applies.
//
// If the error is nil, the operation has succeeded if Step.Done is set; otherwise, call Advance
// again at Step.Next. Only Step.Status.ReadErr reports a failed read that may succeed later. The
// error is
//   - a [*lroerrors.OperationError], with Done set, after Failed or Canceled;
//   - a [*lroerrors.ResultError], with Done set, if the result cannot be read or decoded. Store the
//     fact that the operation has succeeded. If you call Advance again, Patience starts over: while
//     the reads fail, Advance returns no error and leaves Done unset;
//   - a [*lroerrors.WaitError] if patience has run out, the service refused the read, or ctx ended;
//   - an error from [Resume], or from ResumeToken if the new token is too large.
//
// Store the fact that an operation has ended before you delete its token, or a restart may repeat
// the operation. If two calls may use the same token, replace the stored token only if it is
// unchanged. See docs/embedding.md.
func Advance[T any](ctx context.Context, token string, client Doer, opts *Options) (Step[T], error) {
	p, err := Resume[T](token, client, opts)
	if err != nil {
		return Step[T]{Token: token}, err
	}
	step := Step[T]{Token: token}
	err = p.advance(ctx, &step)
	if _, later := err.(*lroerrors.StatusError); later { //nolint:errorlint // a WaitError or ResultError that wraps a StatusError must be returned
		err = nil
	}
	step.Status = p.Status()
	step.Next = p.NextPoll()
	if Classify(err) == Ended { // no further read is due, but the caller may read again after a ResultError
		step.Next = time.Time{}
	}
	step.Done = step.Next.IsZero()
	if p.core.Reads() == 0 {
		return step, err
	}
	tokenErr := p.renew(&step)
	return step, cmp.Or(err, tokenErr)
}

// renew stores the new token in step. If the operation has ended and its result is too large for a
// token, step keeps the old one, so that the result can be read again.
func (p *Poller[T]) renew(step *Step[T]) error {
	token, err := p.ResumeToken()
	if err == nil {
		step.Token = token
		return nil
	}
	if step.Done {
		return nil
	}
	return err
}

// advance makes the reads that are due and stores the result in step.
func (p *Poller[T]) advance(ctx context.Context, step *Step[T]) error {
	if !p.isDue() {
		return nil
	}
	if !p.Done() {
		_, err := p.Poll(ctx)
		if err != nil {
			return err
		}
	}
	if !p.Done() {
		return nil
	}
	var err error
	step.Result, err = p.Result(ctx)
	if err == lroerrors.ErrNotDone { //nolint:errorlint // Result returns it unwrapped
		return nil // the resource shows that the operation is still in progress
	}
	return err
}

// isDue reports whether a read is due. It also returns true if nothing is left to read.
func (p *Poller[T]) isDue() bool { return time.Until(p.NextPoll()) <= 0 }
