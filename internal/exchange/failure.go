package exchange

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// Method returns the method of req, or GET if the method is empty.
func Method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// Permanent reports whether err is about an invalid certificate or a server that did not speak TLS.
// A retry would fail in the same way.
func Permanent(err error) bool { return notTLS(err) || certificate(err) }

// Unsent reports whether a request that failed with err cannot have reached the service: there was
// no connection, or the TLS handshake failed. If err joins several errors, Unsent returns true only
// if it does so for each of them. Call Unsent only for a request that got no response.
func Unsent(err error) bool {
	if several, ok := errors.AsType[joined](err); ok {
		list := several.Unwrap()
		maybeSent := func(err error) bool { return !Unsent(err) }
		return len(list) > 0 && !slices.ContainsFunc(list, maybeSent)
	}
	op, ok := errors.AsType[*net.OpError](err)
	noConnection := ok && (op.Op == "dial" || op.Op == "proxyconnect")
	return noConnection || Permanent(err) || is[*net.DNSError](err) || handshakeTimeout(err)
}

// joined matches an error that wraps several errors, such as one from errors.Join.
type joined interface {
	error
	Unwrap() []error
}

// handshakeTimeout reports whether the TLS handshake timed out. It compares the text of err,
// because net/http does not export the type.
func handshakeTimeout(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "net/http: TLS handshake timeout")
}

// ErrRejected marks an error about an argument from the caller, such as an invalid option.
// Repeating the call would fail in the same way.
var ErrRejected = errors.New("rejected argument")

// Rejected wraps err so that it also matches ErrRejected and ErrNotSent. The text stays the same.
func Rejected(err error) error { return marked{err, []error{ErrRejected, lroerrors.ErrNotSent}} }

// NotSent wraps err so that it also matches ErrNotSent. The text stays the same.
func NotSent(err error) error { return marked{err, []error{lroerrors.ErrNotSent}} }

// A marked error has the text of the error that it wraps, and also matches each of the values.
type marked struct {
	error
	values []error
}

// Is reports whether target is one of the values.
func (m marked) Is(target error) bool { return slices.Contains(m.values, target) }

// Unwrap returns the error that m wraps.
func (m marked) Unwrap() error { return m.error }

// notTLS reports whether the server did not speak TLS. If the response looks like HTTP, net/http
// replaces the error from crypto/tls.
func notTLS(err error) bool {
	return errors.Is(err, http.ErrSchemeMismatch) || is[tls.RecordHeaderError](err)
}

// certificate reports whether err is about a certificate. A caller's VerifyConnection may return
// x509 errors that crypto/tls has not wrapped.
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
