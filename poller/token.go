package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/azcoretoken"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
)

const (
	tokenVersion = 1
	maxToken     = 64 << 10
)

// A token is a record together with the version of the format. A resume token is the JSON of a
// token.
type token struct {
	Version int `json:"lro"`
	record
}

// resume returns a core for a resume token that this package or azcore wrote.
func resume(text string, client Doer, opts *Options) (*core, error) {
	if len(text) > maxToken {
		return nil, badToken("it is %d bytes long, but the limit is %d", len(text), maxToken)
	}
	set, err := resolve(opts)
	if err != nil {
		return nil, err
	}
	r, err := readToken(text)
	if err != nil {
		theirs, bad := readToken(azcoretoken.Convert(text))
		if bad != nil {
			return nil, err
		}
		r = theirs
	}
	for _, l := range r.leading() {
		if err := set.origins.Allow(l.Parse(), r.Target.IsHTTPS()); err != nil {
			return nil, err
		}
	}
	r.reschedule(set)
	return newCore(set, set.origins, client, r), nil
}

// leading returns the links in a token that Resume must vet. It leaves out the links in a first
// response that has not been followed yet, because follow vets them later. It also leaves out
// the URL of a result, which is vetted before it is read, so that a bad URL does not hide a
// success.
func (r *record) leading() []exchange.Link {
	links := []exchange.Link{r.Target, r.Poll, r.Else, r.Monitor}
	if r.Phase != polling && !r.Target.IsZero() {
		links = links[:1]
	} else if r.Phase == unfollowed {
		links = []exchange.Link{r.First.URL}
	}
	return slices.DeleteFunc(links, exchange.Link.IsZero)
}

// reschedule adapts the schedule of a token to this machine's clock: the next read is
// due at its stored time or after the stored pause, whichever is earlier.
func (r *record) reschedule(set *settings) {
	longest := set.Cadence.Max
	if r.Held || r.Failures != nil {
		longest = maxRetryAfter
	}
	at := now()
	for _, t := range []*time.Time{&r.Next, &r.LastRead, &r.Began} {
		if t.IsZero() { // azcore's tokens contain no times
			*t = at
		}
	}
	r.Next = *earliest(&r.Next, new(at.Add(min(time.Duration(r.Pause), longest))))
	r.LastRead, r.Began = *earliest(&r.LastRead, &at), *earliest(&r.Began, &at)
}

// readToken decodes and validates a token, which may be forged.
func readToken(text string) (record, error) {
	var t token
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok { // other errors are not quoted, because their text would contain a value from the token
			return record{}, badToken("invalid JSON: %s", broken)
		}
		return record{}, badToken("its JSON is not that of a token")
	}
	if t.Version != tokenVersion {
		return record{}, badToken("its version is %d, but this release supports only version %d", t.Version, tokenVersion)
	}
	r := t.record
	if r.Words = lowerWords(r.Words); r.Status == nil {
		r.Status = &Status{State: InProgress}
	}
	r.Status = copyStatus(r.Status, new(exchange.Cleaner)) // cuts its texts, and masks credentials in them
	return r, r.check()
}

func badToken(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{lroerrors.ErrBadToken}, args...)...)
}

// check returns an error unless r, which was read from a token, can be used safely. It also
// clears members that mean nothing in r's phase.
func (r *record) check() error {
	f := r.failures()
	switch {
	case !isMethod(r.Method):
		return badToken("its method is invalid")
	case f.Count < 0 || f.NotFound < 0 || f.Other < 0 || f.Waits < 0 || max(f.Missing, f.Waited, f.Heard) > f.Spent || r.Now > maxNow:
		return badToken("it has an invalid count")
	case !slices.Contains([]lroerrors.Reason{"", lroerrors.ReasonGone, lroerrors.ReasonPatience, lroerrors.ReasonRefused}, f.Lost):
		return badToken("it has an invalid reason")
	case !jsonread.IsTime(r.Began.UTC()), !jsonread.IsTime(r.LastRead.UTC()), !jsonread.IsTime(r.Next.UTC()):
		return badToken("it has an invalid time")
	case checkResultPointer(r.Pointer) != nil:
		return badToken("its result pointer is invalid")
	}
	if r.Phase != polling {
		r.Now, r.Held, r.Else, r.Monitor = 0, false, "", ""
		if r.Failures != nil {
			r.Failures.Lost = ""
		}
	}
	if !r.done() {
		r.Result = nil
	}
	urls, fits := []exchange.Link{r.Target, r.Poll, r.Else, r.Monitor}, false
	switch state := r.Status.State; r.Phase {
	case unfollowed:
		if fits = state == InProgress && r.First != nil && accepted(r.First.Code); fits {
			urls = append(urls, r.First.URL)
			r.First.asAccepted(r.Method)
		}
	case polling:
		fits = state == InProgress && !r.Poll.IsZero()
	case reading:
		fits = state == Succeeded && r.Result != nil && !r.Result.URL.IsZero()
	case ended:
		fits = state.Terminal() && (r.Result == nil || r.Result.URL.IsZero())
		if r.Result == nil && state == Succeeded {
			r.Result = &result{}
		}
	}
	if !fits {
		return badToken("its phase contradicts its other members")
	}
	for _, l := range urls {
		if !l.IsZero() && !l.IsAbsolute() {
			return badToken("it has a URL that is not absolute")
		}
	}
	return nil
}

// isMethod reports whether s is empty or can be the method of a request.
func isMethod(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == "" && len(s) <= 20
}

// asAccepted handles a first response whose body was lost. For PUT, PATCH and DELETE, it changes
// the code to 202, because the service has accepted the request and everything else can be read
// from the resource.
func (f *first) asAccepted(method string) {
	if !f.Broken {
		return
	}
	f.err = errors.New("the token does not have the body, which was incomplete or too large")
	switch method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		f.Code = http.StatusAccepted
	}
}

// token returns the resume token. If it is too large, token omits what is not needed to follow
// the operation, and returns an error if the resume token is still too large.
func (r record) token() (string, error) {
	if r.Result != nil && !r.Result.URL.IsZero() {
		r.Phase, r.Result = reading, &result{URL: r.Result.URL} // the body can be read again
	}
	if r.First != nil {
		r.First = r.First.withoutSecrets()
	}
	r.Began, r.LastRead, r.Next = r.Began.UTC(), r.LastRead.UTC(), r.Next.UTC()
	text, err := marshal(token{tokenVersion, r})
	if err == nil && len(text) > maxToken {
		r.trim()
		text, err = marshal(token{tokenVersion, r})
	}
	size := len(text)
	if r.Result != nil {
		size += r.Result.Size
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("lro: resume token: %w", err)
	case size > maxToken:
		return "", fmt.Errorf("lro: the resume token would be %d bytes long, but the limit is %d: %s", size, maxToken, r.largest())
	}
	return strings.Map(func(r rune) rune { return r }, string(text)), nil // replaces invalid UTF-8, as encoding/json does
}

// largest returns the reason why a token is too large, for use in the error message.
func (r *record) largest() string {
	switch {
	case r.Result != nil && r.Result.URL.IsZero() && len(r.Result.Body)+r.Result.Size > 0:
		return fmt.Sprintf("the result has %d bytes; store it instead of the token", len(r.Result.Body)+r.Result.Size)
	case len(r.Memo) > maxToken/2:
		return fmt.Sprintf("the memo of the strategy has %d bytes", len(r.Memo))
	}
	return "its URLs or the error of the service are too long"
}

// marshal is json.Marshal without HTML escapes, which would make URLs unreadable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// trim removes what is not needed to follow the operation.
func (r *record) trim() {
	if f := r.First; f != nil { // f is already a copy, made by withoutSecrets
		if len(f.Body) > 0 {
			f.Body, f.Broken = nil, true
		}
		maps.DeleteFunc(f.Header, func(name string, values []string) bool {
			return len(strings.Join(values, "")) > maxWord && !strings.Contains(name, "Location") && name != headerAsync
		})
	}
	st := *r.Status
	if d := unchanged.Detail(st.Error); d != nil {
		d.Details, d.InnerError, d.AdditionalInfo = nil, nil, nil
		st.Error = d
	}
	if st.Operations = nil; !st.State.Terminal() {
		st = Status{State: st.State, PercentComplete: st.PercentComplete, StatusCode: st.StatusCode, Unconfirmed: st.Unconfirmed}
	}
	r.Status = &st
}

// withoutSecrets returns a copy of f without user-info and without the headers that may contain
// a credential.
func (f *first) withoutSecrets() *first {
	bare := *f
	bare.Header = f.Header.Clone()
	for name, values := range bare.Header {
		for i := range values {
			values[i] = redact.HeaderUserInfo(exchange.EncodeUTF8(values[i]), slices.Contains(linkHeaders, name)) // a header may contain invalid UTF-8
		}
		lower := strings.ToLower(name)
		for _, part := range []string{"cookie", "auth", "token", "secret", "key", "signature"} {
			if strings.Contains(lower, part) {
				delete(bare.Header, name)
			}
		}
	}
	return &bare
}

// fitsToken reports whether b is JSON that remains valid inside a token: a token is UTF-8, and
// encoding/json reads at most 10,000 levels of nesting.
func fitsToken(b []byte) bool {
	return utf8.Valid(b) && json.Valid(b) && json.Valid(slices.Concat([]byte("[[[[[[[["), b, []byte("]]]]]]]]")))
}
