package poller

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// failures is an unbroken run of reads that told no status.
type failures struct {
	Count    int       `json:"count"`
	Since    time.Time `json:"since"`
	NotFound int       `json:"notFound,omitempty"` // of them 404
	Missing  time.Time `json:"missing,omitzero"`   // since the first of these
}

// add counts a failure.
func (f *failures) add(now time.Time, notFound bool) {
	if f.Count == 0 || f.Since.After(now) {
		f.Since = now
	}
	f.Count = min(f.Count, maxFailures) + 1 // saturate: a token may bring any count
	if !notFound {
		return
	}
	if f.NotFound == 0 || f.Missing.After(now) {
		f.Missing = now
	}
	f.NotFound = min(f.NotFound, maxFailures) + 1
}

// addFailure counts one of the run.
func (s *state) addFailure(now time.Time, notFound bool) {
	f := s.failures()
	f.add(now, notFound)
	s.Failing = &f
}

// maxFailures is more than any patience counts to.
const maxFailures = 1 << 30

// spent reports whether patience with the run is at its end.
func (p Patience) spent(f failures, now time.Time) bool {
	return f.Count >= max(p.Failures, 1) && now.Sub(f.Since) >= p.Time
}

// outgraced reports whether a 404 can no longer be a status URL that is
// published late (quirk W1).
func (f failures) outgraced(now time.Time) bool {
	return f.NotFound >= graceReads && now.Sub(f.Missing) >= graceTime
}

// failed counts a read that told no status and decides whether it is survived.
// whole says that the answer was complete.
func (c *core) failed(s *state, h http.Header, err *lroerrors.StatusError, whole bool) verdict {
	now := time.Now()
	if c.gone(s, err.StatusCode) {
		return s.checkInstead()
	}
	notFound := err.StatusCode == http.StatusNotFound
	s.addFailure(now, notFound)
	c.backOff(s, h, now)
	v := verdict{err: err, reason: s.final(c.pollURL(s), err, whole)}
	if errors.Is(err.Err, ErrNotApplicable) {
		v.reason = lroerrors.Unfollowable
	}
	switch {
	case v.reason != "":
	case c.Patience.spent(s.failures(), now):
		v.reason = s.spentOn(notFound)
	case notFound && s.failures().outgraced(now) && !s.Checking:
		if c.checkable(s) {
			return s.checkInstead()
		}
		v.reason = lroerrors.Gone
	}
	if v.reason != "" && c.lost(s, v) {
		return s.replace(v.reason)
	}
	return v
}

// spentOn is the reason when patience is spent on a status that is 404, or on any
// other failure.
func (s *state) spentOn(notFound bool) lroerrors.Reason {
	switch {
	case s.Checking:
		return s.spentChecking()
	case notFound:
		return lroerrors.Gone
	}
	return lroerrors.Patience
}

// final names the reason for which a failure at rawURL ends the wait at once:
// repeating could not cure it.
func (s *state) final(rawURL string, err *lroerrors.StatusError, whole bool) lroerrors.Reason {
	switch code := err.StatusCode; {
	case code == http.StatusGone:
		return lroerrors.Gone
	case code == http.StatusForbidden && s.Created && rawURL == s.Target:
		return "" // quirk W31: a resource just created
	case code == http.StatusForbidden:
		return lroerrors.Refused
	case whole && incurable(code):
		return lroerrors.Refused
	case code == 0 && hopeless(err.Err):
		return lroerrors.Refused
	}
	return ""
}

// incurable tells the 4xx that repeating cannot cure. 424 is transient (quirk
// W54), and the rest of the exceptions have rules of their own.
func incurable(code int) bool {
	switch code {
	case http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout,
		http.StatusFailedDependency, http.StatusTooManyRequests:
		return false
	}
	return code >= 400 && code < 500
}

// hopeless tells the failures to get an answer that no repetition cures.
func hopeless(err error) bool {
	if errors.Is(err, lroerrors.ErrForeignOrigin) || errors.Is(err, lroerrors.ErrNoOperation) {
		return true
	}
	return isA[x509.UnknownAuthorityError](err) || isA[x509.HostnameError](err) ||
		isA[x509.CertificateInvalidError](err) || isA[*tls.CertificateVerificationError](err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func asStatusError(method, rawURL string, err error) *lroerrors.StatusError {
	if se, ok := err.(*lroerrors.StatusError); ok { //nolint:errorlint // one within tells of another request
		return se
	}
	return &lroerrors.StatusError{Method: method, URL: wire.Redacted(rawURL), Err: err}
}
