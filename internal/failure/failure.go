// Package failure classifies and wraps the errors of failed requests, for all layers that send
// requests.
package failure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Method returns the method of req, or GET if the method is empty.
func Method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// UnwrapURL returns the error inside a *url.Error. An http.Client returns such an error, and its
// text contains the query of the URL. UnwrapURL returns any other error unchanged.
func UnwrapURL(err error) error {
	for {
		ue, ok := err.(*url.Error) //nolint:errorlint // an error that wraps a *url.Error has its own text
		if !ok || ue.Err == nil {
			return err
		}
		err = ue.Err
	}
}

// Context returns an error that says why ctx ended. The error wraps both the context's error and
// its cause. ctx must have ended.
func Context(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return Hide(cause)
	}
	return fmt.Errorf("%w: %w", err, Hide(cause))
}

// Ended converts an error that the caller's code, such as a Doer, returned for a request with the
// context ctx. Unless ctx has ended, the result matches no context error, because a context error
// in err then comes from elsewhere, for example from a timeout of the Doer's own. If ctx has ended,
// the result wraps the context's error, its cause and, if err has a different reason, err. Ended
// hides credentials in err.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return foreign(err)
	}
	if errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return Hide(err)
	}
	end := Context(ctx)
	if err == nil || matches(err, ctx.Err()) || matches(err, context.Cause(ctx)) {
		return end
	}
	return fmt.Errorf("%w (before: %w)", end, foreign(err))
}

// Permanent reports whether retrying cannot help, because of a problem with a certificate or
// because the response was not TLS.
func Permanent(err error) bool { return notTLS(err) || certificate(err) }

// Unsent reports whether the service cannot have seen a request that failed with err. This is so if
// there was no connection, or if the connection was not trusted. Unsent must be called only if the
// request received no response.
func Unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return Permanent(err) || is[*net.DNSError](err) || ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// notTLS looks for two errors, because net/http replaces the error from crypto/tls if the response
// looks like HTTP.
func notTLS(err error) bool {
	return errors.Is(err, http.ErrSchemeMismatch) || is[tls.RecordHeaderError](err)
}

// certificate reports whether err is about a certificate. It also looks for the errors of package
// x509: crypto/tls wraps them, but a caller's VerifyConnection may return them unwrapped.
func certificate(err error) bool {
	return is[*tls.CertificateVerificationError](err) ||
		is[x509.UnknownAuthorityError](err) ||
		is[x509.HostnameError](err) ||
		is[x509.CertificateInvalidError](err) ||
		is[x509.ConstraintViolationError](err) ||
		is[x509.InsecureAlgorithmError](err) ||
		is[x509.SystemRootsError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
