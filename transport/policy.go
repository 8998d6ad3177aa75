package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
)

// DefaultPolicy tries again for every verb after 408, 5xx and failures of the
// socket, as ARM recommends ("Retrying REST Calls"), and after 424 and 429. It
// does not after 501 and 505, certificate errors, foreign origins, an answer in
// plain HTTP to a TLS client and an ended context: repeating cannot cure those.
func DefaultPolicy(req *http.Request, resp *http.Response, err error) bool {
	if req.Context().Err() != nil {
		return false
	}
	if err != nil {
		return !incurable(err)
	}
	return resp != nil && transient(resp.StatusCode)
}

// IdempotentOnly is [DefaultPolicy] for the verbs that are idempotent by
// definition (RFC 9110, section 9.2.2). POST and PATCH are sent once.
func IdempotentOnly(req *http.Request, resp *http.Response, err error) bool {
	switch verb(req) {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return DefaultPolicy(req, resp, err)
	}
	return false
}

func transient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusFailedDependency, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500 && status <= 599
}

func incurable(err error) bool {
	return errors.Is(err, lroerrors.ErrForeignOrigin) || notTLS(err) || certificate(err)
}

// notTLS reports whether the answer was not TLS. An http.Client below us has
// made an error of its own of the one that crypto/tls gives.
func notTLS(err error) bool {
	return errors.Is(err, http.ErrSchemeMismatch) || is[tls.RecordHeaderError](err)
}

// certificate reports whether err is about a certificate. crypto/tls wraps the
// errors of x509, but a VerifyConnection of the base's own need not.
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
