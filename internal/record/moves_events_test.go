package record

import (
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// The URLs in the moves. docs/moves.md and the tests of its rows show only the last path segment.
const (
	statusURL   = "https://a.test/status"
	checkURL    = "https://a.test/check"
	resultURL   = "https://a.test/result"
	resourceURL = "https://a.test/resource"
)

// An event is something that can happen to an operation.
type event struct {
	text   string
	read   Reading
	answer Move // what the strategy returns if it is asked for another URL

	undecoded bool // nothing is read, but the body of the result cannot be decoded
}

// reports returns the event of a response that reports a status.
func reports(text string, m Move, header ...string) event {
	read := Reading{Move: m, Authentic: true}
	read.Code = http.StatusOK
	read.Header = headerOf(header)
	return event{text: text + headerText(header), read: read}
}

// is returns a Move with a State.
func is(s strategy.State) Move { return Move{Move: strategy.Move{Status: strategy.Status{State: s}}} }

// code returns the event of a complete response that reports no status. header is empty, or has a
// name and a value.
func code(code int, header ...string) event {
	read := Reading{Err: &lroerrors.StatusError{StatusCode: code}, Authentic: true}
	read.Code = code
	read.Header = headerOf(header)
	return event{text: fmt.Sprint(code) + headerText(header), read: read}
}

// failed returns the event of a read without a response.
func failed(text string, err error) event {
	return event{text: text, read: Reading{Err: &lroerrors.StatusError{Err: err}}}
}

func headerOf(pair []string) http.Header {
	h := http.Header{}
	if len(pair) > 0 {
		h.Set(pair[0], pair[1])
	}
	return h
}

func headerText(pair []string) string {
	if len(pair) == 0 {
		return ""
	}
	return ", `" + strings.Join(pair, ": ") + "`"
}

// but returns a copy of e with text appended to its text and change applied to its reading.
func (e event) but(text string, change func(*Reading)) event {
	e.text += text
	e.read.Header = maps.Clone(e.read.Header)
	err := *e.read.Err
	e.read.Err = &err
	change(&e.read)
	return e
}

// with returns a copy of e with the error that says why the response has no status or no result.
func (e event) with(text string, err error) event {
	return e.but(": "+text, func(read *Reading) { read.Err.Err = err })
}

// choosing returns a copy of e in which the strategy returned a Move together with the error.
func (e event) choosing(text string, m Move) event {
	return e.but("; "+text, func(read *Reading) { read.Move = m })
}

// asked returns a copy of e in which the strategy, asked for another URL, returns m.
func (e event) asked(text string, m Move) event {
	e.text += "; " + text
	e.answer = m
	return e
}

func gatewayPage(read *Reading) { read.Authentic = false }

// Responses that report a status.
var (
	inProgress   = reports("in progress", is(strategy.InProgress))
	asksPause    = reports("in progress; the body asks for 20 s", Move{Move: strategy.Move{After: 20 * time.Second}})
	readNow      = reports("in progress; `Now`", Move{Move: strategy.Move{Now: true}})
	holds        = reports("in progress; `Hold` of 1 h", Move{Detour: strategy.Detour{Hold: time.Hour}})
	holdsLong    = reports("in progress; `Hold` of 48 h", Move{Detour: strategy.Detour{Hold: 48 * time.Hour}})
	renamed      = reports("in progress, with another URL", Move{Move: strategy.Move{Poll: "renewed"}})
	invalidURL   = reports("in progress, with a URL without a host", Move{Move: strategy.Move{Poll: "https://"}})
	overdue      = reports("in progress, and overdue: the check is read in turn with the status (W18)", Move{strategy.Move{Poll: checkURL, Now: true, Inline: true}, strategy.Detour{Else: statusURL}})
	lacksResult  = reports("Succeeded, without a result", is(strategy.Succeeded))
	hasResult    = reports("Succeeded, with the result", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Body: []byte(`{}`)}}})
	namesResult  = reports("Succeeded, with the URL of the result", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resultURL}}})
	readResult   = reports("Succeeded, with the result and its URL", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resultURL, Body: []byte(`{}`)}}})
	lostResult   = reports("Succeeded; the expected result is missing", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Err: io.EOF}}})
	hasFailed    = reports("Failed", is(strategy.Failed))
	isCanceled   = reports("Canceled", is(strategy.Canceled))
	unconfirmed  = reports("Succeeded, to be confirmed (W33)", Move{Move: strategy.Move{Status: strategy.Status{Unconfirmed: true}, Poll: checkURL, Now: true, Inline: true}})
	confirmLater = reports("Succeeded, to be confirmed after 10 min (W32)", Move{strategy.Move{Status: strategy.Status{Unconfirmed: true}, Poll: checkURL, Inline: true}, strategy.Detour{Hold: 10 * time.Minute}})
	checkAgain   = reports("the check says: not yet", Move{Move: strategy.Move{Status: strategy.Status{Unconfirmed: true}, Inline: true}})
	checkSilent  = reports("the check reports no end", Move{strategy.Move{Poll: statusURL}, strategy.Detour{Beside: true}})
	checkOften   = reports("the check reports an end, but must agree again (W28)", Move{strategy.Move{Inline: true}, strategy.Detour{Else: statusURL, Beside: true}})
	checkEnd     = reports("the check reports success", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resourceURL, Body: []byte(`{}`)}}})
)

// toCheck is the Move of a strategy that has lost the status. The check is read at once, and from
// then on the status and the check in turn.
var toCheck = Move{strategy.Move{Poll: checkURL, Now: true, Inline: true}, strategy.Detour{Else: statusURL}}

// Failed reads.
var (
	noStatus      = code(200).with("a body without a status", strategy.ErrNoStatus)
	notJSON       = code(200).with("a body that is not JSON", strategy.ErrNotJSON)
	otherMemo     = code(200).with("`ErrNotApplicable`", strategy.ErrNotApplicable)
	stillExists   = code(200).choosing("the check says that the resource still exists", Move{strategy.Move{Poll: statusURL, Inline: true}, strategy.Detour{Else: checkURL}})
	notFoundAgain = code(404).choosing("the strategy reads the check in turn", Move{strategy.Move{Poll: checkURL, Inline: true}, strategy.Detour{Else: statusURL}})
	deleted       = code(404).choosing("the strategy of a DELETE reads its check (W17)", toCheck)
	gateway       = code(400).but(" with a gateway's page", gatewayPage)
	noResponse    = failed("no response", io.ErrUnexpectedEOF)
	badCert       = failed("an invalid certificate", x509.UnknownAuthorityError{})
	foreign       = failed("a URL of a foreign origin", lroerrors.ErrForeignOrigin)
	noURL         = failed("a URL that cannot be requested", lroerrors.ErrNoOperation)
	abandoned     = failed("abandoned by a `Group`", io.ErrUnexpectedEOF).but("", func(read *Reading) { read.Abandoned = true })
)

// Reads of the result.
var (
	theResult  = reports("a result", Move{}).body(`{"a":1}`)
	emptyBody  = reports("an empty body", Move{}).body("")
	undecoded  = event{text: "the result cannot be decoded into T", undecoded: true}
	stillFirst = code(202).with("the result is not ready", io.ErrUnexpectedEOF)
)

func (e event) body(text string) event {
	if text != "" {
		e.read.Body = []byte(text)
	}
	return e
}

// arrived is when the last response of a situation arrived.
var arrived = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// polling returns a record in phase polling whose next read is due a minute after the last one.
func polling(changes ...func(*Record)) func() *Record {
	return func() *Record {
		r := &Record{
			Phase: Polling, Method: http.MethodPut, Target: resourceURL, Poll: statusURL, Status: &strategy.Status{State: strategy.InProgress},
			Began: arrived.Add(-time.Hour), LastRead: arrived, Pause: span(time.Minute),
		}
		for _, change := range changes {
			change(r)
		}
		return r
	}
}

// reading returns a record in phase reading.
func reading(changes ...func(*Record)) func() *Record {
	changes = slices.Insert(changes, 0, func(r *Record) {
		r.Status = &strategy.Status{State: strategy.Succeeded}
		r.Result = &Result{URL: resultURL}
		r.enter(PendingResult)
	})
	return polling(changes...)
}

// after gives a record a run of failed reads, and a pause of 10 minutes.
func after(f Failures) func(*Record) {
	return func(r *Record) {
		r.Failures = &f
		r.pauseUntil(arrived.Add(10*time.Minute), f.Instructed)
	}
}

func firstResponse(r *Record) {
	r.Phase = Unfollowed
	r.Poll = ""
	r.Pause = 0
	r.First = &First{URL: resourceURL, Code: http.StatusAccepted}
}

func created(r *Record) {
	r.Created = true
	r.Poll = r.Target
}

func resourceIsResult(r *Record) {
	r.Poll = statusURL
	r.Result = &Result{URL: resourceURL}
}

func askedBefore(r *Record) { r.Given = new(span(30 * time.Second)) }

func readThrice(r *Record) { r.Now = maxNow }

// inTurn schedules an immediate read of the check, and after that a read of the status.
func inTurn(r *Record) {
	r.Poll = checkURL
	r.Else = statusURL
	r.Monitor = statusURL
	r.Now = 1
}

// statusNext makes the status the next URL to read, after the scheduled pause, and the check the one after that.
func statusNext(r *Record) {
	r.Now = 0
	r.swap()
}

func confirming(r *Record) {
	r.Status.Unconfirmed = true
	r.Poll = checkURL
	r.Monitor = statusURL
}

func ended(s strategy.State, result *Result) func() *Record {
	return polling(func(r *Record) {
		r.Status = &strategy.Status{State: s}
		r.Result = result
		r.enter(Ended)
	})
}
