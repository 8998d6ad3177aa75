package redact

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
)

// UnwrapURL returns the error inside a *url.Error, and any other error unchanged. An http.Client
// returns a *url.Error, whose text contains the URL's query.
func UnwrapURL(err error) error {
	for {
		ue, ok := err.(*url.Error) //nolint:errorlint // an error that wraps a *url.Error has its own text
		if !ok || ue.Err == nil {
			return err
		}
		err = ue.Err
	}
}

// ContextError returns an error that says why ctx ended. The error wraps ctx.Err() and ctx's cause.
// ctx must have ended.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return Error(cause)
	}
	return fmt.Errorf("%w: %w", err, Error(cause))
}

// RequestError returns err with its credentials hidden. err comes from the caller's code, such as a
// Doer, for a request with the context ctx. If ctx has ended, the result wraps the context's error
// and cause. It also wraps err, unless err only reports the end of ctx. If ctx has not ended, any
// context error in err comes from another context, such as the Doer's own timeout, so the result
// matches no context error.
func RequestError(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return foreign(err)
	}
	if err == nil {
		return ContextError(ctx)
	}
	cause := context.Cause(ctx)
	if errors.Is(err, ctx.Err()) && errors.Is(err, cause) {
		return Error(err)
	}

	end := ContextError(ctx)
	isSame := matches(err, ctx.Err()) || matches(err, cause)
	if isSame {
		return end
	}
	return fmt.Errorf("%w (before: %w)", end, foreign(err))
}

// Error returns err itself or, if its text may contain credentials, an error that hides them.
func Error(err error) error {
	if err == nil || !leaks(err) {
		return err
	}
	return hide(err, false)
}

// foreign is like [Error], but also hides context errors from errors.Is, because they do not come
// from the caller's context.
func foreign(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return hide(err, true)
	}
	return Error(err)
}

// A hidden error wraps an error from the caller's code and redacts its text. It has no Unwrap
// method, so code that prints each error in a chain prints no credential. errors.Is and errors.As
// still find the errors inside err, except a *url.Error, whose text contains a URL's query.
type hidden struct {
	err     error
	foreign bool // the context errors in err do not come from the caller's context
}

// hiddenTimeout is a hidden error that is also a net.Error. It keeps errors.As from finding the
// original net.Error, whose text is not redacted.
type hiddenTimeout struct {
	*hidden
	of net.Error
}

// Timeout implements [net.Error].
func (h *hiddenTimeout) Timeout() bool { return h.of.Timeout() }

// Temporary implements [net.Error].
func (h *hiddenTimeout) Temporary() bool { return h.of.Temporary() } //nolint:staticcheck // part of the interface

func hide(err error, foreign bool) error {
	h := &hidden{err, foreign}
	of, ok := errors.AsType[net.Error](err)
	if !ok {
		return h
	}
	return &hiddenTimeout{h, of}
}

// matches is like errors.Is, but also finds the context errors that a hidden error conceals.
func matches(err, target error) bool {
	if errors.Is(err, target) {
		return true
	}
	return inTree(err, func(err error) bool {
		h, ok := err.(interface{ reveal() error })
		return ok && errors.Is(h.reveal(), target)
	})
}

func (h *hidden) reveal() error { return h.err }

// Error returns the redacted text.
func (h *hidden) Error() string { return Text(UnwrapURL(h.err).Error()) }

// Is implements errors.Is.
func (h *hidden) Is(target error) bool {
	isContextError := target == context.DeadlineExceeded || target == context.Canceled
	if h.foreign && isContextError {
		return false
	}
	return errors.Is(h.err, target)
}

// As implements errors.As.
func (h *hidden) As(target any) bool {
	to := reflect.ValueOf(target).Elem()
	return inTree(h.err, func(err error) bool {
		if isURL(err) {
			return false
		}

		v := reflect.ValueOf(err)
		if v.Type().AssignableTo(to.Type()) {
			to.Set(v)
			return true
		}
		x, ok := err.(interface{ As(any) bool })
		return ok && x.As(target)
	})
}

// leaks reports whether the message of any error in err's tree needs redaction. It assumes this,
// without a check, for a *url.Error and for a very long message.
func leaks(err error) bool {
	return inTree(err, func(err error) bool {
		if isURL(err) {
			return true
		}
		s := err.Error()
		return len(s) > 2*MaxText || Masked(s) != s
	})
}

func isURL(err error) bool {
	_, ok := err.(*url.Error) //nolint:errorlint // each error of the tree is checked
	return ok
}

// inTree reports whether f returns true for err or any error that it wraps.
func inTree(err error, f func(error) bool) bool {
	if err == nil {
		return false
	}
	if f(err) {
		return true
	}

	switch wraps := err.(type) { //nolint:errorlint // each error of the tree is checked
	case interface{ Unwrap() error }:
		return inTree(wraps.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, inner := range wraps.Unwrap() {
			if inTree(inner, f) {
				return true
			}
		}
	}
	return false
}
