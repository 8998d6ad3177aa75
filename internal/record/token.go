package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/poller/strategy"
)

const tokenVersion = 1

// A token is a Record with the version of the token format. Its JSON form is the resume token.
type token struct {
	Version int `json:"lro"`
	Record
}

// Parse reads a resume token that this package or azcore wrote. It validates the token, which may
// be forged.
func Parse(text string) (Record, error) {
	if err := CheckSize(text); err != nil {
		return Record{}, err
	}
	r, err := parse(text)
	if err == nil {
		return r, nil
	}
	theirs, notTheirs := parse(convertAzcore(text))
	if notTheirs != nil {
		return Record{}, err
	}
	return theirs, nil
}

// CheckSize returns an error if a token is larger than MaxToken.
func CheckSize(token string) error {
	if len(token) > MaxToken {
		return badToken("it is %d bytes long, but the limit is %d", len(token), MaxToken)
	}
	return nil
}

// parse decodes and validates a token in this package's format.
func parse(text string) (Record, error) {
	var t token
	err := json.Unmarshal([]byte(text), &t)
	version := t.Version
	if err != nil {
		version = versionOf(text) // a newer token's members may have other types
	}
	if version > tokenVersion {
		return Record{}, fmt.Errorf("%w: its version is %d, but this release supports only version %d", lroerrors.ErrNewerToken, version, tokenVersion)
	}
	if err != nil {
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok { // other errors may quote a value from the token
			return Record{}, badToken("invalid JSON: %s", broken)
		}
		return Record{}, badToken("its JSON is not a token")
	}

	if version != tokenVersion {
		return Record{}, badToken("its version is %d, but the first one was 1", version)
	}

	r := t.Record
	r.Words = LowerWords(r.Words)
	if r.Status == nil {
		r.Status = &strategy.Status{State: strategy.InProgress}
	}
	clean := new(strategy.Status)
	copyStatus(clean, r.Status, new(redact.Cleaner)) // the Cleaner shortens long strings in the status and masks credentials
	r.Status = clean
	return r, r.validate()
}

// versionOf returns a token's version, or 0 if the version cannot be read.
func versionOf(text string) int {
	var t struct {
		Version int `json:"lro"`
	}
	_ = json.Unmarshal([]byte(text), &t) // on failure, the function parse reports a better error
	return t.Version
}

func badToken(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{lroerrors.ErrBadToken}, args...)...)
}

// validate checks that r, which comes from a token, is safe to use. It clears the fields that r's
// phase does not use.
func (r *Record) validate() error {
	if !IsMethod(r.Method) {
		return badToken("its method is invalid")
	}

	if r.Now > maxNow {
		return badToken("it has an invalid count")
	}
	if r.Failures != nil {
		if err := r.Failures.validate(); err != nil {
			return err
		}
	}

	for _, t := range []time.Time{r.Began, r.LastRead} {
		_, err := t.UTC().MarshalText()
		if err != nil {
			return badToken("it has an invalid time")
		}
	}
	if CheckResultPointer(r.Pointer) != nil {
		return badToken("its result pointer is invalid")
	}

	r.clear()
	if !r.fitsPhase() {
		return badToken("its phase contradicts its other members")
	}

	links := []exchange.Link{r.Target, r.Poll, r.Else, r.Monitor}
	if r.Phase == Unfollowed {
		links = append(links, r.First.URL)
		r.First.acceptBroken(r.Method)
	}
	return checkAbsolute(links)
}

// isLostReason reports whether reason is valid for [Failures].Lost.
func isLostReason(reason lroerrors.Reason) bool {
	switch reason {
	case "", lroerrors.ReasonGone, lroerrors.ReasonPatience, lroerrors.ReasonRefused:
		return true
	}
	return false
}

// checkAbsolute returns an error if a link is set but not absolute.
func checkAbsolute(links []exchange.Link) error {
	for _, l := range links {
		isRelative := !l.IsZero() && !l.IsAbsolute()
		if isRelative {
			return badToken("it has a URL that is not absolute")
		}
	}
	return nil
}

// validate checks that the values in f are possible for a run of failed reads.
func (f *Failures) validate() error {
	counts := []int{f.Count, f.NotFound, f.Other, f.Waits}
	longest := max(f.Missing, f.Waited, f.Answered)
	if slices.Min(counts) < 0 || longest > f.Spent {
		return badToken("it has an invalid count")
	}

	if !isLostReason(f.Lost) {
		return badToken("it has an invalid reason")
	}
	return nil
}

// clear resets the fields that r's phase does not use. If a successful operation has the phase
// Ended and no Result, clear adds an empty one.
func (r *Record) clear() {
	if r.Phase != Polling {
		r.Now = 0
		r.Held = false
		r.Absent = false
		r.Once = false
		r.Else = ""
		r.Monitor = ""
		if r.Failures != nil {
			r.Failures.Lost = ""
		}
	}

	if !r.Done() {
		r.Result = nil
		return
	}

	hasNoResult := r.Phase == Ended && r.Result == nil
	if hasNoResult && r.Status.State == strategy.Succeeded {
		r.Result = &Result{}
	}
}

// fitsPhase reports whether r's phase is consistent with its other fields.
func (r *Record) fitsPhase() bool {
	hasResultURL := r.Result != nil && !r.Result.URL.IsZero()

	switch r.Phase {
	case Unfollowed:
		if r.First == nil || !IsAccepted(r.First.Code) {
			return false
		}
		return r.Status.State == strategy.InProgress
	case Polling:
		if r.Poll.IsZero() {
			return false
		}
		return r.Status.State == strategy.InProgress
	case PendingResult:
		return hasResultURL && r.Status.State == strategy.Succeeded
	case Ended:
		return !hasResultURL && r.Status.State.Terminal()
	}
	return false
}

// IsAccepted reports whether the status code of a first response means that the service accepted
// the request.
func IsAccepted(code int) bool {
	switch code {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return true
	}
	return false
}

// IsMethod reports whether s is empty or can be an HTTP method.
func IsMethod(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == "" && len(s) <= 20
}

// maxPointer limits the levels in a ResultPointer. Each level takes another pass over the value,
// and a forged token may contain any pointer.
const maxPointer = 100

// CheckResultPointer returns an error if ptr is not a valid JSON pointer or has more than
// maxPointer levels.
func CheckResultPointer(ptr string) error {
	if strings.Count(ptr, "/") > maxPointer {
		return fmt.Errorf("JSON pointer has more than %d levels", maxPointer)
	}
	return jsonread.CheckPointer(ptr)
}

// acceptBroken handles a first response whose body was lost. For PUT, PATCH and DELETE, it sets the
// code to 202, so that the poller reads the resource.
func (f *First) acceptBroken(method string) {
	if !f.Broken {
		return
	}
	f.Err = errors.New("the token does not have the body, which was incomplete or too large")

	switch method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		f.Code = http.StatusAccepted
	}
}

// NextLinks returns the links whose origins Resume must check. It omits the result's URL and the
// links in a first response, which are checked later.
func (r *Record) NextLinks() []exchange.Link {
	links := []exchange.Link{r.Target, r.Poll, r.Else, r.Monitor}

	if r.Phase != Polling && !r.Target.IsZero() {
		links = []exchange.Link{r.Target}
	} else if r.Phase == Unfollowed {
		links = []exchange.Link{r.First.URL}
	}

	return slices.DeleteFunc(links, exchange.Link.IsZero)
}

// Reschedule adapts a token's schedule to this machine's clock. The parameter at is the current
// time. The next read is due at the stored time, but at most one stored pause from now. For this
// purpose, the stored pause is cut to c.Max, or to maxRetryAfter if the read is held or the last
// read failed.
func (r *Record) Reschedule(at time.Time, c *Cadence) {
	for _, t := range []*time.Time{&r.LastRead, &r.Began} {
		if t.IsZero() { // azcore's tokens contain no times
			*t = at
		}
	}

	longest := c.Max
	if r.Held || r.Failures != nil {
		longest = maxRetryAfter
	}

	if at.Before(r.LastRead) {
		r.readAt(at)
	}
	r.Began = Earlier(r.Began, at)
	latest := at.Add(min(time.Duration(r.Pause), longest))
	r.pauseUntil(Earlier(r.Next(), latest), r.Asked)
}

// Earlier returns the earlier of two times.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Token returns the resume token. If the token would be too large, Token omits large parts that are
// not needed to follow the operation. If it is still too large, Token returns an error.
func (r Record) Token() (string, error) {
	if r.Result != nil && !r.Result.URL.IsZero() {
		r.Phase = PendingResult
		r.Result = &Result{URL: r.Result.URL} // without the body, which can be read again from the URL
	}
	if r.First != nil {
		r.First = r.First.withoutSecrets()
	}
	r.Status = lasting(r.Status)
	r.Began = r.Began.UTC()
	r.LastRead = r.LastRead.UTC()

	text, err := marshal(token{tokenVersion, r})
	if err == nil && len(text) > MaxToken {
		r.trim()
		text, err = marshal(token{tokenVersion, r})
	}
	if err != nil {
		return "", fmt.Errorf("lro: resume token: %w", err)
	}

	size := len(text)
	if r.Result != nil {
		size += r.Result.Size
	}

	if size > MaxToken {
		return "", fmt.Errorf("lro: the resume token would be %d bytes long, but the limit is %d: %s", size, MaxToken, r.largest())
	}
	valid := strings.Map(func(r rune) rune { return r }, string(text)) // replaces invalid UTF-8, as encoding/json does
	return valid, nil
}

// FitsToken reports whether b is JSON that stays valid inside a token. A token is UTF-8, and
// encoding/json reads at most 10,000 levels of nesting.
func FitsToken(b []byte) bool {
	if !utf8.Valid(b) || !json.Valid(b) {
		return false
	}
	return json.Valid(slices.Concat([]byte("[[[[[[[["), b, []byte("]]]]]]]]")))
}
