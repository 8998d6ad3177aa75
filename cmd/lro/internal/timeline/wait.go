package timeline

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/lro-go/lro/poller"
)

// A wait is everything a Recorder has recorded about the wait for one operation.
type wait struct {
	name     string // the method and path of the first request
	start    time.Time
	end      time.Duration // when the wait ended, relative to start
	readings []reading
	err      string // the error that ended the wait, or ""
}

// A kind is the purpose of a reading.
type kind string

const (
	begin  kind = "begin"
	poll   kind = "status"
	result kind = "result"
)

// A reading is one request to the service, including all its attempts, and what the client then
// knew about the operation.
type reading struct {
	kind        kind
	method      string
	sent, done  time.Time
	from, at    time.Duration  // the fields sent and done, relative to the start of the wait
	attempts    int            // 0 if the status comes from a resume token
	code        int            // the status code of the last attempt; 0 if there was no response
	asked       *time.Duration // the pause that the response requested, or nil
	state, word string
	err         string // why the reading failed, or ""
}

// ended reports whether the client knew after this reading that the operation had ended.
func (r reading) ended() bool { return r.state != "" && r.state != string(poller.InProgress) }

// answer describes the response in one or two words.
func (r reading) answer() string {
	if r.attempts == 0 {
		return ""
	}
	if r.code == 0 {
		return "no response"
	}
	if r.err != "" && r.code < http.StatusBadRequest {
		return fmt.Sprintf("%d, unreadable", r.code)
	}
	return fmt.Sprint(r.code)
}

// label describes the reading in a few words, for its mark's label.
func (r reading) label() string {
	text := r.answer()
	switch r.kind {
	case begin:
		if text != "" {
			text = r.method + " " + text
		}
	case result:
		text = "result " + text
	}
	if r.attempts > 1 {
		text += fmt.Sprintf(", %d attempts", r.attempts)
	}
	return text
}

// tip describes the reading in full, for its mark's tooltip.
func (r reading) tip() string {
	s := fmt.Sprintf("%s, at %s: %s", r.kind, human(r.at), cmp.Or(r.answer(), "resumed"))
	if took := r.at - r.from; took > time.Second {
		s += ", after " + human(took)
	}
	if r.attempts > 1 {
		s += fmt.Sprintf(", %d attempts", r.attempts)
	}
	if r.asked != nil {
		s += "\nRetry-After: " + human(*r.asked)
	}
	if r.err != "" {
		s += "\n" + r.err
	}
	return s + "\nknown: " + cmp.Or(r.word, r.state, "nothing")
}

// last returns the last reading, or a zero reading if w has no readings.
func (w *wait) last() reading {
	if len(w.readings) == 0 {
		return reading{}
	}
	return w.readings[len(w.readings)-1]
}

// ending returns the first reading that reported the end of the operation, if any.
func (w *wait) ending() (reading, bool) {
	for _, r := range w.readings {
		if r.ended() {
			return r, true
		}
	}
	return reading{}, false
}

// summary describes the whole wait in one line.
func (w *wait) summary() string {
	if w.last().state == "" {
		return fmt.Sprintf("Not started after %s, %s", human(w.end), count(w.number(begin), "attempt"))
	}

	end := "Still in progress"
	if r, ok := w.ending(); ok {
		end = r.state
	}
	s := fmt.Sprintf("%s after %s, %s", end, human(w.end), count(w.number(poll), "status read"))
	if failed := w.failedPolls(); failed > 0 {
		s += fmt.Sprintf(" (%d failed)", failed)
	}
	return s + w.resultSummary()
}

// resultSummary returns the last part of the summary, about the attempts to read the result.
func (w *wait) resultSummary() string {
	results := w.number(result)
	if results == 0 {
		return ""
	}
	if w.err != "" {
		return ", and the result could not be read"
	}
	if results == 1 {
		return ", and the result"
	}
	return fmt.Sprintf(" and %d attempts to read the result", results)
}

func (w *wait) number(k kind) (n int) {
	for _, r := range w.readings {
		if r.kind == k {
			n++
		}
	}
	return n
}

func (w *wait) failedPolls() (n int) {
	for _, r := range w.readings {
		if r.kind == poll && r.err != "" {
			n++
		}
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// A span is a period in which the client's view of the status did not change.
type span struct {
	from, to time.Duration
	word     string
	failed   int // the number of failed readings; 0 if the readings succeeded
}

// spans returns the spans from the first reading to the end of the operation or of the wait.
func (w *wait) spans() []span {
	var all []span
	for _, r := range w.readings {
		next := span{from: r.at, to: w.end, word: cmp.Or(r.word, r.state)}
		if r.err != "" {
			next.failed = 1
		}
		if n := len(all); n > 0 {
			last := &all[n-1]
			if !r.ended() && last.word == next.word && (last.failed > 0) == (next.failed > 0) {
				last.failed += next.failed
				continue
			}
			last.to = r.at
		}
		if r.ended() {
			break
		}
		all = append(all, next)
	}
	return all
}

// A pause is the time between two readings.
type pause struct {
	from, to time.Duration
	asked    time.Duration // the pause that the service requested
	why      string
}

func (p pause) length() time.Duration { return p.to - p.from }

// blink is the longest pause that is too short to draw. Pauses that differ by at most blink are
// considered equal.
const blink = 20 * time.Millisecond

// pauses returns the pauses between readings, with the reason for each. It omits a pause that
// started in an earlier process, because its reason is unknown.
func (w *wait) pauses() []pause {
	var all []pause
	var before time.Duration // the last pause that the service requested in a successful reading
	for i, r := range w.readings {
		if i == len(w.readings)-1 || r.attempts == 0 {
			continue
		}
		if r.asked != nil && r.err == "" {
			before = *r.asked
		}
		p := pause{from: r.at, to: w.readings[i+1].from}
		if p.length() <= blink {
			continue
		}
		p.explain(r, before)
		all = append(all, p)
	}
	return all
}

// explain sets p.asked and p.why for the pause after r. The parameter before is the last pause that
// the service requested in a successful reading.
func (p *pause) explain(r reading, before time.Duration) {
	waited := p.length()
	if r.asked != nil {
		p.asked = *r.asked
		p.why = human(p.asked)
		if !near(p.asked, waited) {
			p.why = fmt.Sprintf("asked %s, waited %s", human(p.asked), human(waited))
		}
		return
	}
	if r.err != "" {
		p.why = "back-off " + human(waited)
		return
	}
	if before > 0 && near(before, waited) {
		p.asked = before
		p.why = human(before) + " as before"
		return
	}
	p.why = human(waited) + ", not asked"
}

// near reports whether a and b are about equal: they differ by at most 2% of a, or by at most blink.
func near(a, b time.Duration) bool { return (a - b).Abs() <= max(a/50, blink) }
