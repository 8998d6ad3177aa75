package record

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// A situation is a state of an operation's record. Its moves show how each event changes the
// record.
type situation struct {
	title string
	about string
	from  func() *Record
	moves []move
	rules Rules
}

// A move describes how an event changes an operation's record.
type move struct {
	event event
	phase string
	reads string // the last path segment of the next URL to read, or "nothing"
	after string // the pause before the next read
	count int    // failed reads in a row that count against Patience.Failures
	wait  string
}

// These strings say whether and how the wait ends.
const (
	continues   = "continues"
	result      = "returns the result"
	operation   = "ends with an `*OperationError`"
	resultError = "ends with a `*ResultError`"
	patience    = "ends with `Patience`"
	gone        = "ends with `Gone`"
	refused     = "ends with `Refused`"
	unfollowed  = "ends with `Unfollowable`"
	orReplaced  = ", unless the strategy names another URL"
)

// defaults are the rules that result from zero Options.
var defaults = Rules{
	Cadence:  Cadence{Default: time.Minute, Min: 10 * time.Second, Max: 10 * time.Minute},
	Patience: Patience{Time: 30 * time.Minute, Failures: 5, Throttled: 24 * time.Hour},
}

var situations = []situation{
	{"Unfollowed", "The service has accepted the request that starts the operation, and the strategy interprets the response to it. The resource at the URL of that request shows the status.", polling(firstResponse), []move{
		{inProgress, "polling", "resource", "1m", 0, continues},
		{reports("The status is in progress", is(strategy.InProgress), "Retry-After", "30"), "polling", "resource", "30s", 0, continues},
		{renamed, "polling", "renewed", "1m", 0, continues},
		{invalidURL, "polling", "resource", "1m", 0, unfollowed},
		{unconfirmed, "polling", "check", "at once", 0, continues},
		{lacksResult, "ended", "nothing", "", 0, result},
		{hasResult, "ended", "nothing", "", 0, result},
		{namesResult, "reading", "result", "at once", 0, continues},
		{hasFailed, "ended", "nothing", "", 0, operation},
		{isCanceled, "ended", "nothing", "", 0, operation},
	}, defaults},
	{"Polling", "The last read returned a status.", polling(), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{reports("The status is in progress", is(strategy.InProgress), "Retry-After", "30"), "polling", "status", "30s", 0, continues},
		{reports("The status is in progress", is(strategy.InProgress), "Retry-After", "5"), "polling", "status", "10s", 0, continues},
		{reports("The status is in progress", is(strategy.InProgress), "Retry-After", "3600"), "polling", "status", "10m", 0, continues},
		{asksPause, "polling", "status", "20s", 0, continues},
		{readNow, "polling", "status", "at once", 0, continues},
		{holds, "polling", "status", "1h", 0, continues},
		{holdsLong, "polling", "status", "24h", 0, continues},
		{renamed, "polling", "renewed", "1m", 0, continues},
		{invalidURL, "polling", "status", "1m", 0, continues},
		{overdue, "polling", "check", "at once", 0, continues},
		{unconfirmed, "polling", "check", "at once", 0, continues},
		{confirmLater, "polling", "check", "10m", 0, continues},
		{lacksResult, "ended", "nothing", "", 0, result},
		{hasResult, "ended", "nothing", "", 0, result},
		{readResult, "ended", "nothing", "", 0, result},
		{namesResult, "reading", "result", "at once", 0, continues},
		{lostResult, "ended", "nothing", "", 0, resultError},
		{hasFailed, "ended", "nothing", "", 0, operation},
		{isCanceled, "ended", "nothing", "", 0, operation},

		{noStatus, "polling", "status", "10s", 1, continues},
		{notJSON, "polling", "status", "10s", 1, continues},
		{otherMemo, "polling", "status", "10s", 1, unfollowed},
		{code(400), "polling", "status", "10s", 1, refused + orReplaced},
		{code(400).asked("names a check, to be read at once", toCheck), "polling", "check", "at once", 0, continues},
		{gateway, "polling", "status", "10s", 1, continues},
		{code(400).choosing(" in which the strategy finds another URL, `renewed`", Move{Move: strategy.Move{Poll: "renewed"}}), "polling", "renewed", "10s", 1, continues},
		{code(401), "polling", "status", "10s", 1, refused + orReplaced},
		{code(403), "polling", "status", "10s", 1, refused + orReplaced},
		{code(404), "polling", "status", "10s", 1, continues},
		{deleted, "polling", "check", "at once", 0, continues},
		{code(408), "polling", "status", "10s", 1, continues},
		{code(409), "polling", "status", "10s", 1, refused + orReplaced},
		{code(410), "polling", "status", "10s", 1, gone + orReplaced},
		{code(410).asked("names a check, to be read at once", toCheck), "polling", "check", "at once", 0, continues},
		{code(410, "Retry-After", "120").asked("names a check, but does not ask to read it at once", Move{strategy.Move{Poll: checkURL}, strategy.Detour{Else: statusURL}}), "polling", "check", "10s", 0, continues},
		{code(410).asked("names a URL without a host", Move{Move: strategy.Move{Poll: "https://"}}), "polling", "status", "10s", 0, continues},
		{code(424), "polling", "status", "10s", 1, continues},
		{code(429), "polling", "status", "10s", 0, continues},
		{code(429, "Retry-After", "0"), "polling", "status", "10s", 0, continues},
		{code(429, "Retry-After", "5"), "polling", "status", "5s", 0, continues},
		{code(429, "Retry-After", "172800"), "polling", "status", "24h", 0, continues},
		{code(500), "polling", "status", "10s", 1, continues},
		{code(500, "Retry-After", "5"), "polling", "status", "5s", 1, continues},
		{code(500).choosing(". The strategy wants to read again at once (`Now`)", Move{Move: strategy.Move{Now: true}}), "polling", "status", "at once", 0, continues},
		{code(400).choosing(". The strategy names a check, to be read alternately (`Else`)", Move{Detour: strategy.Detour{Else: checkURL}}), "polling", "status", "10s", 1, continues},
		{code(503), "polling", "status", "10s", 1, continues},
		{code(503, "Retry-After", "120"), "polling", "status", "2m", 0, continues},
		{noResponse, "polling", "status", "10s", 1, continues},
		{badCert, "polling", "status", "10s", 1, refused + orReplaced},
		{foreign, "polling", "status", "10s", 1, refused + orReplaced},
		{noURL, "polling", "status", "10s", 1, refused + orReplaced},
		{abandoned, "polling", "status", "10s", 0, continues},
	}, defaults},
	{"Polling, after a `Retry-After` of 30 s", "An earlier response reported a status and had `Retry-After: 30`. The poller uses this pause for later reads, too.", polling(askedBefore), []move{
		{inProgress, "polling", "status", "30s", 0, continues},
		{reports("The status is in progress", is(strategy.InProgress), "Retry-After", "120"), "polling", "status", "2m", 0, continues},
		{code(500), "polling", "status", "10s", 1, continues},
	}, defaults},
	{"Polling, after `Now` three times in a row", "The strategy has asked for three immediate reads in a row. The poller does not make a fourth read at once.", polling(readThrice), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{readNow, "polling", "status", "1m", 0, continues},
		{deleted, "polling", "check", "10s", 1, continues},
	}, defaults},
	{"Polling a resource that was just created", "The first response was a 201 to a PUT, and the resource shows the status.", polling(created), []move{
		{inProgress, "polling", "resource", "1m", 0, continues},
		{code(401), "polling", "resource", "10s", 1, refused + orReplaced},
		{code(403).but(", which is tolerated for a new resource (W31)", func(*Reading) {}), "polling", "resource", "10s", 1, continues},
		{code(404).but(", which is tolerated for a new resource (W27)", func(*Reading) {}), "polling", "resource", "10s", 1, continues},
		{code(410), "polling", "resource", "10s", 1, gone + orReplaced},
	}, defaults},
	{"Polling, after four failed reads in 20 minutes", "None of the four responses was a 404. The next read is due 10 minutes after the last one. If that read fails, the failures will have lasted 30 minutes, which is the default of `Patience.Time`.", polling(after(Failures{Count: 4, Other: 4, Spent: span(20 * time.Minute)})), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{namesResult, "reading", "result", "at once", 0, continues},
		{code(500), "polling", "status", "2m40s", 5, patience + orReplaced},
		{code(500).asked("names a check, to be read at once", toCheck), "polling", "check", "at once", 0, continues},
		{noResponse, "polling", "status", "2m40s", 5, patience + orReplaced},
		{code(404), "polling", "status", "2m40s", 5, patience + orReplaced},
		{deleted, "polling", "check", "at once", 0, continues},
		{code(403), "polling", "status", "2m40s", 5, refused + orReplaced},
		{code(429), "polling", "status", "2m40s", 4, continues},
		{code(503, "Retry-After", "120"), "polling", "status", "2m", 4, continues},
		{abandoned, "polling", "status", "1m20s", 4, continues},
	}, defaults},
	{"Polling, after two 404s within a second", "Some status URLs return 404 at first, so 404s end the wait only when there have been three of them and 5 minutes have passed (W1). The next read is due 20 s after the second 404, so the 5 minutes are not over yet.", polling(after(Failures{Count: 2, NotFound: 2, Spent: span(time.Second), Missing: span(time.Second)}), func(r *Record) { r.pauseUntil(arrived.Add(20*time.Second), false) }), []move{
		{code(404), "polling", "status", "40s", 3, continues},
		{code(500), "polling", "status", "40s", 3, continues},
		{code(410), "polling", "status", "40s", 3, gone + orReplaced},
	}, defaults},
	{"Polling, after one 404", "404s end the wait only when there have been three of them and 5 minutes have passed (W1). The next read is due 10 minutes after the first 404, so the 5 minutes are over by then, but a second 404 is not enough.", polling(after(Failures{Count: 1, NotFound: 1, Spent: span(time.Second), Missing: span(time.Second)})), []move{
		{code(404), "polling", "status", "20s", 2, continues},
	}, defaults},
	{"Polling, after two 404s", "404s end the wait when there have been three of them and 5 minutes have passed (W1). The next read is due 10 minutes after the second 404, so a third 404 meets both conditions.", polling(after(Failures{Count: 2, NotFound: 2, Spent: span(time.Second), Missing: span(time.Second)})), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{code(404), "polling", "status", "40s", 3, gone + orReplaced},
		{code(404).choosing(" in which the strategy finds another URL, `renewed`", Move{Move: strategy.Move{Poll: "renewed"}}), "polling", "renewed", "40s", 3, continues},
		{code(404).asked("names a check, to be read at once", toCheck), "polling", "check", "at once", 0, continues},
		{code(500), "polling", "status", "40s", 3, continues},
		{code(429), "polling", "status", "40s", 2, continues},
	}, defaults},
	{"Polling, after three 404s within a second", "404s end the wait when there have been three of them and 5 minutes have passed (W1). The next read is due 10 minutes after the third 404, so a fourth 404 meets both conditions.", polling(after(Failures{Count: 3, NotFound: 3, Spent: sec, Missing: sec})), []move{
		{code(404), "polling", "status", "1m20s", 4, gone + orReplaced},
		{code(500), "polling", "status", "1m20s", 4, continues},
	}, defaults},
	{"Polling, after a day of 429s", "For 24 hours less 10 minutes, every response has been a 429. The next read is due 10 minutes after the last one. By then, the time limit `Patience.Throttled`, a day by default, has passed.", polling(after(Failures{Waits: 100, Instructed: true, Spent: span(24*time.Hour - 10*time.Minute), Waited: span(24*time.Hour - 10*time.Minute)})), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{code(429, "Retry-After", "600"), "polling", "status", "10m", 0, patience + orReplaced},
		{code(500), "polling", "status", "10m", 1, continues},
		{noResponse, "polling", "status", "10m", 1, continues},
	}, defaults},
	{"Polling the status and a check in turn", "The operation is overdue, so the strategy alternates between a check and the status (W18). The status has just been read and is due again a minute later. The check is due at once.", polling(inTurn), []move{
		{checkSilent, "polling", "status", "1m", 0, continues},
		{checkOften, "polling", "check", "1m", 0, continues},
		{checkEnd, "ended", "nothing", "", 0, result},
		{checkFailed, "ended", "nothing", "", 0, operation},
		{code(404), "polling", "status", "59s", 0, continues},
		{code(404).choosing(" in which the strategy finds another URL, `renewed`", Move{Move: strategy.Move{Poll: "renewed"}}), "polling", "renewed", "10s", 1, continues},
		{code(410), "polling", "status", "59s", 0, continues},
		{code(403), "polling", "status", "59s", 0, refused},
		{code(429, "Retry-After", "120"), "polling", "status", "2m", 0, continues},
		{code(429, "Retry-After", "30"), "polling", "status", "59s", 0, continues},
		{code(503, "Retry-After", "3600"), "polling", "status", "10m", 0, continues},
		{noResponse, "polling", "status", "59s", 0, continues},
		{foreign, "polling", "status", "59s", 0, refused},
	}, defaults},
	{"Polling a check, because the status is lost", "The wait was about to end with `Gone`, and the strategy named a check instead (W19). The check is due at once. From then on, the poller reads the status and the check in turn, and counts failed reads from zero.", polling(after(Failures{Lost: lroerrors.ReasonGone}), inTurn), []move{
		{checkEnd, "ended", "nothing", "", 0, result},
		{stillExists, "polling", "status", "10s", 1, continues},
		{checkSilent, "polling", "status", "1m", 0, continues},
		{code(403), "polling", "status", "10s", 1, refused},
		{code(500), "polling", "status", "10s", 1, continues},
		{code(429, "Retry-After", "30"), "polling", "status", "30s", 0, continues},
		{noResponse, "polling", "status", "10s", 1, continues},
		{abandoned, "polling", "status", "10s", 0, continues},
	}, defaults},
	{"Polling the status and a check in turn, after four failed reads in 20 minutes", "The wait was about to end with `Gone`, and the strategy named a check instead. Since then, four reads have failed. The status is due 10 minutes after the last read. If the status and the check stay unreadable, the wait ends with the original reason, `Gone`.", polling(inTurn, after(Failures{Count: 4, Other: 4, Spent: span(20 * time.Minute), Lost: lroerrors.ReasonGone}), statusNext), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{namesResult, "reading", "result", "at once", 0, continues},
		{code(403), "polling", "check", "2m40s", 5, refused},
		{notFoundAgain, "polling", "check", "2m40s", 5, gone},
		{code(410), "polling", "check", "2m40s", 5, gone},
		{code(429), "polling", "check", "2m40s", 4, continues},
		{code(500), "polling", "check", "2m40s", 5, gone},
		{noResponse, "polling", "check", "2m40s", 5, gone},
	}, defaults},
	{"Polling a check that must confirm a success", "The service has reported success, and the strategy waits until a check confirms it. Until then, `Status.Unconfirmed` is set.", polling(confirming), []move{
		{checkAgain, "polling", "check", "1m", 0, continues},
		{checkEnd, "ended", "nothing", "", 0, result},
		{checkNames, "reading", "result", "at once", 0, continues},
		{checkFailed, "ended", "nothing", "", 0, operation},
		{code(403), "polling", "check", "10s", 1, refused + orReplaced},
		{code(404), "polling", "check", "10s", 1, continues},
		{code(429), "polling", "check", "10s", 0, continues},
		{code(500), "polling", "check", "10s", 1, continues},
	}, defaults},
	{"Polling, with `Patience{Time: -1}`", "With this option, the first failed read that counts ends the wait.", polling(), []move{
		{inProgress, "polling", "status", "1m", 0, continues},
		{code(403), "polling", "status", "10s", 1, refused + orReplaced},
		{code(404), "polling", "status", "10s", 1, gone},
		{deleted, "polling", "check", "at once", 0, continues},
		{code(410), "polling", "status", "10s", 1, gone + orReplaced},
		{code(429), "polling", "status", "10s", 0, continues},
		{code(500), "polling", "status", "10s", 1, patience},
		{abandoned, "polling", "status", "10s", 0, continues},
	}, Rules{defaults.Cadence, Patience{Time: -1, Throttled: 24 * time.Hour}}},
	{"Reading", "The operation has succeeded. Its result is at the URL `result`, which has not been read.", reading(), []move{
		{theResult, "ended", "nothing", "", 0, result},
		{emptyBody, "ended", "nothing", "", 0, result},
		{changing, "polling", "resource", "1m", 0, continues},
		{didFail, "ended", "nothing", "", 0, operation},
		{stillFirst, "reading", "result", "10s", 1, continues},
		{notJSON, "reading", "result", "10s", 1, continues},
		{code(400), "reading", "result", "at once", 0, resultError},
		{code(401), "reading", "result", "at once", 0, resultError},
		{code(403), "reading", "result", "at once", 0, resultError},
		{code(404), "reading", "result", "10s", 1, continues},
		{code(408), "reading", "result", "10s", 1, continues},
		{code(410), "reading", "result", "at once", 0, resultError},
		{code(424), "reading", "result", "10s", 1, continues},
		{code(429), "reading", "result", "10s", 0, continues},
		{code(429, "Retry-After", "5"), "reading", "result", "5s", 0, continues},
		{code(500), "reading", "result", "10s", 1, continues},
		{code(503, "Retry-After", "120"), "reading", "result", "2m", 0, continues},
		{noResponse, "reading", "result", "10s", 1, continues},
		{badCert, "reading", "result", "at once", 0, resultError},
		{foreign, "reading", "result", "at once", 0, resultError},
		{abandoned, "reading", "result", "10s", 0, continues},
	}, defaults},
	{"Reading a resource that was just created", "The first response was a 201 to a PUT. The operation has succeeded, and its result is the resource.", reading(created, resourceIsResult), []move{
		{code(403).but(", which is tolerated for a new resource (W31)", func(*Reading) {}), "reading", "resource", "10s", 1, continues},
		{code(404).but(", which is tolerated for a new resource (W27)", func(*Reading) {}), "reading", "resource", "10s", 1, continues},
		{code(410), "reading", "resource", "at once", 0, resultError},
	}, defaults},
	{"Reading, after four failed reads in 20 minutes", "The next read is due 10 minutes after the last one. If that read fails, the failures will have lasted 30 minutes.", reading(after(Failures{Count: 4, Other: 4, Spent: span(20 * time.Minute)})), []move{
		{theResult, "ended", "nothing", "", 0, result},
		{code(404), "reading", "result", "at once", 0, resultError},
		{code(500), "reading", "result", "at once", 0, resultError},
		{notJSON, "reading", "result", "at once", 0, resultError},
		{code(429, "Retry-After", "5"), "reading", "result", "5s", 4, continues},
	}, defaults},
	{"Ended, with a result from its own URL", "The poller has read the result from the URL `result`, and decodes it.", ended(strategy.Succeeded, &Result{URL: resultURL, Body: []byte(`{}`)}), []move{
		{undecoded, "reading", "result", "at once", 0, resultError},
	}, defaults},
	{"Ended, with a result from a check", "The check that confirmed the success contained the result, and the poller decodes it. The result can also be read at the URL `result` (W33).", ended(strategy.Succeeded, &Result{URL: resultURL, Body: []byte(`{}`), From: checkURL}), []move{
		{undecoded, "reading", "result", "at once", 0, continues},
	}, defaults},
	{"Ended, with a result from the status", "The status document contained the result, and the poller decodes it. The result has no URL of its own.", ended(strategy.Succeeded, &Result{Body: []byte(`{}`), From: statusURL}), []move{
		{undecoded, "ended", "nothing", "", 0, resultError},
	}, defaults},
}

// TestMoves applies the event in each row and checks the other columns.
func TestMoves(t *testing.T) {
	for _, s := range situations {
		for _, want := range s.moves {
			t.Run(s.title+"/"+want.event.text, func(t *testing.T) {
				r := s.from()
				wait := apply(r, want.event, &s.rules)
				got := move{event: want.event, phase: r.Phase.String(), reads: next(r), after: pauseOf(r), count: r.FailedReads().Count, wait: wait}
				require.Equal(t, want.text(""), got.text(""))
			})
		}
	}
}

// TestMovesSurviveToken checks that a token preserves the record after each move.
func TestMovesSurviveToken(t *testing.T) {
	for _, s := range situations {
		for _, m := range s.moves {
			t.Run(s.title+"/"+m.event.text, func(t *testing.T) {
				r := s.from()
				if apply(r, m.event, &s.rules) == unfollowed {
					return // the token would contain the record from before the event
				}
				text, err := r.Token()
				require.NoError(t, err)
				got, err := Parse(text)
				require.NoError(t, err)
				requireSameRecord(t, *r, got)
			})
		}
	}
}
