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

// The tables of events use these URLs. docs/moves.md shows only the last part of each.
const (
	statusURL   = "https://a.test/status"
	checkURL    = "https://a.test/check"
	resultURL   = "https://a.test/result"
	resourceURL = "https://a.test/resource"
)

// An event is the outcome of a read, or a result that cannot be decoded.
type event struct {
	text   string
	read   Reading
	answer Move // the Move that the strategy returns when the poller asks for another URL

	undecoded bool // the event is a result that cannot be decoded, not a read
}

// reports returns an event in which the strategy finds a status in a response. header is empty, or
// the name and value of a response header.
func reports(text string, m Move, header ...string) event {
	read := Reading{Move: m, Authentic: true}
	read.Code = http.StatusOK
	read.Header = headerOf(header)
	if len(header) > 0 {
		text += ", with " + headerText(header)
	}
	return event{text: text, read: read}
}

func is(s strategy.State) Move { return Move{Move: strategy.Move{Status: strategy.Status{State: s}}} }

// code returns an event in which a complete response has no status. header is empty, or the name
// and value of a response header.
func code(code int, header ...string) event {
	read := Reading{Err: &lroerrors.StatusError{StatusCode: code}, Authentic: true}
	read.Code = code
	read.Header = headerOf(header)
	text := fmt.Sprintf("The response is a %d", code)
	if len(header) > 0 {
		text += " with " + headerText(header)
	}
	return event{text: text, read: read}
}

// failed returns the event of a read that gets no response.
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

func headerText(pair []string) string { return "`" + strings.Join(pair, ": ") + "`" }

// but returns a copy of e. It appends the given text to the copy's text, and lets the given
// function modify the copy's Reading.
func (e event) but(text string, change func(*Reading)) event {
	e.text += text
	e.read.Header = maps.Clone(e.read.Header)
	err := *e.read.Err
	e.read.Err = &err
	change(&e.read)
	return e
}

// with returns a copy of the failed read e, with err as the reason why the response contains no
// status or result.
func (e event) with(text string, err error) event {
	return e.but(text, func(read *Reading) { read.Err.Err = err })
}

// choosing returns a copy of the failed read e, for which the strategy returns m despite the
// failure.
func (e event) choosing(text string, m Move) event {
	return e.but(text, func(read *Reading) { read.Move = m })
}

// asked returns a copy of e in which the strategy returns m when the poller asks for another URL.
func (e event) asked(text string, m Move) event {
	e.text += ". When the poller asks the strategy for another URL, the strategy " + text
	e.answer = m
	return e
}

func gatewayPage(read *Reading) { read.Authentic = false }

// In these events, the strategy finds a status in the response.
var (
	inProgress   = reports("The status is in progress", is(strategy.InProgress))
	asksPause    = reports("The status is in progress. The strategy finds a pause of 20 s in the body (`After`)", Move{Move: strategy.Move{After: 20 * time.Second}})
	readNow      = reports("The status is in progress. The strategy wants to read again at once (`Now`)", Move{Move: strategy.Move{Now: true}})
	holds        = reports("The status is in progress. The strategy forbids reads for 1 h (`Hold`)", Move{Detour: strategy.Detour{Hold: time.Hour}})
	holdsLong    = reports("The status is in progress. The strategy forbids reads for 48 h (`Hold`)", Move{Detour: strategy.Detour{Hold: 48 * time.Hour}})
	renamed      = reports("The status is in progress. The response names `renewed` as the new status URL", Move{Move: strategy.Move{Poll: "renewed"}})
	invalidURL   = reports("The status is in progress. The response names a new status URL, which has no host", Move{Move: strategy.Move{Poll: "https://"}})
	overdue      = reports("The status is in progress. It has been in progress for so long that the strategy begins to alternate between a check and the status (W18)", Move{strategy.Move{Poll: checkURL, Now: true, Inline: true}, strategy.Detour{Else: statusURL}})
	lacksResult  = reports("The status is Succeeded. The operation has no result", is(strategy.Succeeded))
	hasResult    = reports("The status is Succeeded. The response contains the result", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Body: []byte(`{}`)}}})
	namesResult  = reports("The status is Succeeded. The response names the URL of the result", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resultURL}}})
	readResult   = reports("The status is Succeeded. The response contains the result and names its URL", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resultURL, Body: []byte(`{}`)}}})
	lostResult   = reports("The status is Succeeded, but the response lacks the result that it should contain", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Err: io.EOF}}})
	hasFailed    = reports("The status is Failed", is(strategy.Failed))
	isCanceled   = reports("The status is Canceled", is(strategy.Canceled))
	unconfirmed  = reports("The status is Succeeded. To confirm that, the strategy makes a check at once (W33)", Move{Move: strategy.Move{Status: strategy.Status{Unconfirmed: true}, Poll: checkURL, Now: true, Inline: true}})
	confirmLater = reports("The status is Succeeded. To confirm that, the strategy makes a check in 10 min (W32)", Move{strategy.Move{Status: strategy.Status{Unconfirmed: true}, Poll: checkURL, Inline: true}, strategy.Detour{Hold: 10 * time.Minute}})
	checkAgain   = reports("The check does not confirm the success yet", Move{Move: strategy.Move{Status: strategy.Status{Unconfirmed: true}, Inline: true}})
	checkSilent  = reports("The check does not show that the operation has ended", Move{strategy.Move{Poll: statusURL}, strategy.Detour{FromCheck: true}})
	checkOften   = reports("The check shows that the operation has ended, but the strategy wants to see the same in a second check (W28)", Move{strategy.Move{Inline: true}, strategy.Detour{Else: statusURL, FromCheck: true}})
	checkFailed  = reports("The check shows that the operation has failed", is(strategy.Failed))
	checkNames   = reports("The check confirms the success and names the URL of the result", namesResult.read.Move)
	checkEnd     = reports("The check shows that the operation has succeeded", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{URL: resourceURL, Body: []byte(`{}`)}}})
)

// toCheck is the Move that the strategy returns when the status URL has vanished. The poller reads
// checkURL right away, and then alternates between statusURL and checkURL.
var toCheck = Move{strategy.Move{Poll: checkURL, Now: true, Inline: true}, strategy.Detour{Else: statusURL}}

// These reads fail.
var (
	noStatus      = code(200).with(" whose body contains no status", strategy.ErrNoStatus)
	notJSON       = code(200).with(" whose body is not JSON", strategy.ErrNotJSON)
	otherMemo     = code(200).with(" for which the strategy returns `ErrNotApplicable`", strategy.ErrNotApplicable)
	stillExists   = code(200).choosing(": the resource to delete still exists", Move{strategy.Move{Poll: statusURL, Inline: true}, strategy.Detour{Else: checkURL}})
	notFoundAgain = code(404).choosing(". The strategy names the check as the next URL", Move{strategy.Move{Poll: checkURL, Inline: true}, strategy.Detour{Else: statusURL}})
	deleted       = code(404).choosing(". The operation is a DELETE, so the strategy makes a check at once (W17)", toCheck)
	gateway       = code(400).but(" with an HTML page, which may come from a gateway", gatewayPage)
	noResponse    = failed("There is no response", io.ErrUnexpectedEOF)
	badCert       = failed("The server has an invalid certificate", x509.UnknownAuthorityError{})
	foreign       = failed("The URL has an origin that is not allowed, so nothing is sent", lroerrors.ErrForeignOrigin)
	noURL         = failed("The URL is invalid, so nothing is sent", lroerrors.ErrNoOperation)
	abandoned     = failed("A `Group` abandons the read, because another read needs its connection", io.ErrUnexpectedEOF).but("", func(read *Reading) { read.Abandoned = true })
)

// These events occur when a result is read or decoded.
var (
	theResult  = reports("The response is the result", Move{}).body(`{"a":1}`)
	emptyBody  = reports("The response has an empty body", Move{}).body("")
	undecoded  = event{text: "The result cannot be decoded into the caller's type `T`", undecoded: true}
	stillFirst = code(202).with(": the result is not ready", io.ErrUnexpectedEOF)
	changing   = reports("The response is the result, a resource that shows the operation in progress", Move{Move: strategy.Move{Status: strategy.Status{State: strategy.InProgress}, Poll: resourceURL}}).notSucceeded()
	didFail    = reports("The response is the result, a resource that shows that the operation has failed", is(strategy.Failed)).notSucceeded()
)

func (e event) notSucceeded() event {
	e.read.NotSucceeded = true
	return e
}

func (e event) body(text string) event {
	if text != "" {
		e.read.Body = []byte(text)
	}
	return e
}

// arrived is the time at which the last response arrived, in every situation.
var arrived = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// polling returns a function that returns a record in phase Polling, whose next read is due a
// minute after the last one.
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

// reading returns a function that returns a record in phase PendingResult. The operation has
// succeeded, and the read of its result is due at once.
func reading(changes ...func(*Record)) func() *Record {
	changes = slices.Insert(changes, 0, func(r *Record) {
		r.Status = &strategy.Status{State: strategy.Succeeded}
		r.Result = &Result{URL: resultURL}
		r.enter(PendingResult)
	})
	return polling(changes...)
}

// after returns a function that adds a run of failed reads to a record. The next read is then due
// 10 minutes after the last one.
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

// inTurn schedules an immediate read of checkURL, followed by a read of statusURL.
func inTurn(r *Record) {
	r.Poll = checkURL
	r.Else = statusURL
	r.Monitor = statusURL
	r.Now = 1
}

// statusNext is applied after inTurn. It schedules a read of statusURL after a pause, followed by a
// read of checkURL.
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
