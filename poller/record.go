package poller

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// A record holds everything that is known about an operation, and its JSON is
// the resume token. A reader ignores members that it does not know, so a later
// release may add some; a change of meaning is a new version. Nothing that a token
// must not hold enters the record: URLs lose their user-info, and of the first
// request's headers it keeps only those that are sent with every poll.
//
// A core replaces its record as a whole, and never changes what the fields point to.
type record struct {
	Version int   `json:"lro"`
	Phase   phase `json:"phase"`

	Method  string          `json:"method,omitempty"`  // of the request that started the operation
	Target  link            `json:"target,omitzero"`   // its URL
	Header  wire.Travelling `json:"header,omitzero"`   // of its headers, those sent with every poll
	Created bool            `json:"created,omitempty"` // it was a PUT and the response a 201 (quirk W31)
	rules

	Poll    link            `json:"poll,omitzero"`    // read next for the status
	Else    link            `json:"else,omitzero"`    // read in turn with Poll
	Monitor link            `json:"monitor,omitzero"` // the URL of the status, while a check is read next to it or in its place
	Inline  bool            `json:"inline,omitempty"`
	Memo    json.RawMessage `json:"memo,omitempty"` // the strategy's
	Status  *Status         `json:"status"`
	Result  *result         `json:"result,omitempty"` // once the operation has succeeded

	Began    time.Time        `json:"began,omitzero"`       // the operation, as far as known
	LastRead time.Time        `json:"lastRead"`             // when the last answer came, the first response included
	Next     time.Time        `json:"nextPoll"`             // when the next read is due, unless Now says at once
	Pause    span             `json:"pause,omitempty"`      // the scheduled length of the pause before it
	Pace     span             `json:"pace,omitempty"`       // our own last pause, where Cadence.First makes it grow
	Given    *span            `json:"retryAfter,omitempty"` // the pause that the service last asked for with a status
	Asked    bool             `json:"asked,omitempty"`      // the service asked for this pause
	Held     bool             `json:"held,omitempty"`       // no read may come before it is over
	Now      int              `json:"now,omitempty"`        // reads that the strategy asked for at once, in a row
	Failures *failures        `json:"failures,omitempty"`   // the unbroken run; nil: the last read reported a status
	Lost     lroerrors.Reason `json:"lost,omitempty"`       // the strategy continued this run when it was about to end for this reason

	First *first `json:"first,omitempty"` // the first response, in phase unfollowed
}

// rules apply to every read of the operation. Options override the rules in a token.
type rules struct {
	Via     FinalStateVia    `json:"finalStateVia,omitempty"`
	Pointer string           `json:"resultPointer,omitempty"`
	Words   map[string]State `json:"words,omitempty"` // in lower case
}

// override returns r with what the options set.
func (r rules) override(set *settings) rules {
	r.Via, r.Pointer = cmp.Or(set.FinalStateVia, r.Via), cmp.Or(set.ResultPointer, r.Pointer)
	if len(set.Words) > 0 {
		r.Words = set.Words
	}
	return r
}

// done reports whether the operation has ended. Its result may still have to be read.
func (r *record) done() bool { return r.Phase == reading || r.Phase == ended }

// A result says where the result of a succeeded operation is: at a URL, or in
// the body of an answer from the URL From. With both URL and Body, the body was just
// read from the URL, which is what a token keeps.
type result struct {
	URL  link   `json:"url,omitzero"`
	Body exact  `json:"body,omitempty"`
	From link   `json:"from,omitzero"`
	Err  string `json:"error,omitempty"` // why there is none
	Size int    `json:"-"`               // of a body that was dropped after it was decoded; 0: none was
}

// at returns where the result was, or will be, read.
func (r *result) at() link {
	switch {
	case r == nil:
		return link{}
	case !r.URL.IsZero():
		return r.URL
	}
	return r.From
}

// An exact is a body that a token stores byte for byte: as a JSON string or, if it
// is not UTF-8, as an array of one string in base64.
type exact []byte

// MarshalJSON implements [json.Marshaler].
func (t exact) MarshalJSON() ([]byte, error) {
	if utf8.Valid(t) {
		return marshal(string(t))
	}
	return marshal([][]byte{t})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *exact) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = exact(s)
		return nil
	}
	var list [1][]byte
	err := json.Unmarshal(b, &list)
	*t = list[0]
	return err
}

// A first is the response that started an operation. A token keeps it while the
// operation cannot be followed, so that Resume can try again with other options.
type first struct {
	URL    link        `json:"url,omitzero"`
	Code   int         `json:"code"`
	Header http.Header `json:"header,omitempty"`
	Body   []byte      `json:"body,omitempty"`   // base64
	Broken bool        `json:"broken,omitempty"` // the body could not be read whole, or was too large to store

	err  error // why it is broken
	sent wire.Sent
}

// A span is a duration that a token stores as text, such as "1m30s". It is
// never negative.
type span time.Duration

// MarshalText writes the duration as [time.Duration.String] does.
func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText rejects invalid and negative durations and caps long ones, because a
// token may hold any duration and sums must not overflow.
func (d *span) UnmarshalText(b []byte) error {
	const longest = 100 * 365 * 24 * time.Hour
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return errors.New("a duration is invalid")
	}
	*d = span(min(v, longest))
	return nil
}

// adopt applies a strategy's Move for an answer that reports a status.
func (c *core) adopt(r *record, a *Answer, m Move) {
	h := a.Header
	if !m.Beside {
		r.Failures, r.Lost, r.Status = nil, "", m.Status.adopted(a)
	} else if m.Poll != "" {
		h = nil // the next read goes elsewhere
	}
	r.redirect(a, m)
	r.Result = nil
	if r.Status.State == Succeeded {
		r.Result = r.resultOf(a, m.Result)
	}
	c.schedule(r, h, m)
	r.enter(phaseAfter(r.Status.State, r.Result))
}

// redirect makes reading continue where a Move says. It ignores a URL that cannot be
// resolved: reading then continues at the same URL.
func (r *record) redirect(a *Answer, m Move) {
	r.Inline, r.Memo = m.Inline, m.Memo
	monitor := r.monitor()
	if to, err := r.follow(a.URL, m.Else); err != nil || m.Else == "" {
		r.Else = link{}
	} else if r.Else = to; r.Monitor.IsZero() {
		monitor = to
	}
	if r.Monitor = monitor; r.Else.IsZero() && !r.Status.Unconfirmed {
		r.Monitor = link{}
	}
	if to, err := r.follow(a.URL, m.Poll); err == nil {
		r.Poll = to
	}
	if r.Now++; !m.Now || r.Now > maxNow {
		r.Now = 0
	}
}

// maxNow bounds how often a strategy may read at once, in a row; see [Move].
const maxNow = 3

// follow resolves ref, a URL in an answer from base. "" means the URL that is polled.
func (r *record) follow(base, ref string) (link, error) {
	if ref == "" || ref == r.Poll.text {
		return r.Poll, nil
	}
	return newLink(base).resolve(ref)
}

// monitor returns the URL of the status, even while a check is read in turn with it.
func (r *record) monitor() link {
	if !r.Monitor.IsZero() {
		return r.Monitor
	}
	return r.Poll
}

// resultOf returns the result that a strategy found, with absolute URLs. A URL that
// cannot be resolved is kept: reading it reports the error.
func (r *record) resultOf(a *Answer, found Result) *result {
	res := &result{Body: exact(found.Body)}
	if found.Err != nil {
		res.Err = clean(found.Err.Error())
	}
	if len(found.Body) > 0 || found.URL == "" {
		res.From = newLink(cmp.Or(found.From, a.URL))
	} else {
		res.Body = nil // nothing has been read from the URL
	}
	switch to, err := newLink(a.URL).resolve(found.URL); {
	case found.URL == "":
	case found.URL == r.Target.text:
		res.URL = r.Target
	case err != nil:
		res.URL = newLink(found.URL)
	default:
		res.URL = to
	}
	return res
}

// A link is a URL in its exact text, because a signature may cover every byte,
// and in its parsed form, which is computed once. It holds no user-info.
type link struct {
	text string
	url  *url.URL // nil: the text cannot be parsed
}

// IsZero reports whether there is no URL.
func (l link) IsZero() bool { return l.text == "" }

// newLink parses a URL as a service, a caller or a token wrote it.
func newLink(text string) link {
	text = redact.UserInfo(encoded(text))
	u, err := url.Parse(text)
	if err != nil {
		return link{text: text}
	}
	return link{text, u}
}

// isAbsolute reports whether the link can be followed.
func (l link) isAbsolute() bool { return l.url != nil && l.url.IsAbs() && l.url.Host != "" }

// resolve resolves ref, a URL in an answer from l (RFC 3986, section
// 5). An absolute URL stays unchanged, byte for byte. The error wraps ErrNoOperation.
func (l link) resolve(ref string) (link, error) {
	to := newLink(ref)
	if to.url != nil && !to.url.IsAbs() && l.url != nil {
		to = newLink(l.url.ResolveReference(to.url).String()) // "//::" parses, and its resolved text does not
	}
	switch {
	case to.url == nil, !to.url.IsAbs() && l.url == nil:
		return link{}, fmt.Errorf("%w: unparsable URL", lroerrors.ErrNoOperation)
	case to.url.Host == "":
		return link{}, fmt.Errorf("%w: a URL without a host", lroerrors.ErrNoOperation)
	}
	return to, nil
}

// String returns the URL without query, fragment and user-info.
func (l link) String() string { return redact.RawURL(l.text) }

// MarshalJSON writes the exact text.
func (l link) MarshalJSON() ([]byte, error) { return marshal(l.text) }

// UnmarshalJSON accepts any string. Whether the URL is valid and where it leads is
// checked when the token is resumed and before the URL is read.
func (l *link) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*l = newLink(text)
	return nil
}

var linkHeaders = []string{headerAsync, headerOpLocation, headerLocation, "Content-Location"}

// encoded percent-encodes bytes that are not UTF-8, as net/http would, because
// JSON cannot hold them.
func encoded(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	var b strings.Builder
	for i := range len(ref) {
		if ref[i] < utf8.RuneSelf {
			b.WriteByte(ref[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", ref[i])
		}
	}
	return b.String()
}
