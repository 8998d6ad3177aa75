package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A wait is what the client did for one operation.
type wait struct {
	start    time.Time
	readings []reading
	failure  string // the error it ended with; "" none, or the log does not tell
}

// A kind is what a reading asks for.
type kind string

const (
	begin  kind = "begin"
	poll   kind = "status"
	result kind = "result"
)

// A reading is a question to the service and what came of it. Times are from the
// beginning of the wait.
type reading struct {
	kind        kind
	method, url string
	sent, told  time.Duration
	known       bool // what crossed the wire, asked included
	code        int  // 0: no answer
	asked       *time.Duration
	state, word string // as known afterwards
	next        time.Time
	err         string // why it told nothing
	failures    int
}

func (r reading) ended() bool { return r.state != "" && r.state != "InProgress" }

// answer is what came back, in a word or two.
func (r reading) answer() string {
	switch {
	case !r.known && r.err != "":
		return "failed"
	case !r.known && r.code == 0:
		return ""
	case r.code == 0:
		return "no answer"
	case r.err != "" && r.code < http.StatusBadRequest:
		return fmt.Sprintf("%d, unread", r.code)
	}
	return fmt.Sprint(r.code)
}

// last is the reading added last.
func (w *wait) last() reading {
	if len(w.readings) == 0 {
		return reading{}
	}
	return w.readings[len(w.readings)-1]
}

// length is the time until all was told. It is not zero.
func (w *wait) length() time.Duration {
	longest := time.Millisecond
	for _, r := range w.readings {
		longest = max(longest, r.told)
	}
	return longest
}

// name is the operation, without the origin.
func (w *wait) name() string {
	first := w.readings[0]
	path := first.url
	if _, rest, ok := strings.Cut(path, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	return shorten(strings.TrimSpace(first.method+" "+path), 110)
}

// shorten takes out of the middle what is too much, for the ends say most.
func shorten(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}

// summary is the whole wait in a line.
func (w *wait) summary() string {
	polls, deaf, results := 0, 0, 0
	for _, r := range w.readings {
		switch {
		case r.kind == result:
			results++
		case r.kind == poll && r.err != "":
			deaf++
			fallthrough
		case r.kind == poll:
			polls++
		}
	}
	last, end := w.last(), "Not ended"
	if last.ended() {
		end = last.state
	}
	s := fmt.Sprintf("%s after %s. %s of the status", end, human(last.told), count(polls, "reading"))
	if deaf > 0 {
		s += fmt.Sprintf(", %d of which told none", deaf)
	}
	switch {
	case last.kind == result && last.err == "" && results > 1:
		s += fmt.Sprintf("; the result came at attempt %d", results)
	case last.kind == result && last.err == "":
		s += "; the result was read"
	case last.kind == result:
		s += "; the result could not be read"
	}
	return s + "."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// A pause is the time between two readings.
type pause struct {
	from, to time.Duration
	asked    time.Duration // what the service asked for; 0: nothing
	why      string
	known    bool // what was asked for
}

// blink is too short to be a pause, or a difference between two.
const blink = 20 * time.Millisecond

// pauses are those between the readings, and who wanted them.
func (w *wait) pauses() []pause {
	var all []pause
	var before time.Duration // what was last asked for with a status
	for i, r := range w.readings[:len(w.readings)-1] {
		p := pause{from: r.told, to: w.readings[i+1].sent, known: r.known}
		if r.asked != nil && r.err == "" {
			before = *r.asked
		}
		switch waited := p.to - p.from; {
		case waited <= blink:
			continue
		case r.asked != nil:
			p.asked, p.why = *r.asked, explain(*r.asked, waited)
		case r.known && r.err != "":
			p.why = "back-off " + human(waited)
		case before > 0 && near(before, waited):
			p.asked, p.why = before, human(before)+" as before"
		case r.known:
			p.why = human(waited) + ", not asked"
		default:
			p.why = human(waited)
		}
		all = append(all, p)
	}
	return all
}

// explain compares what was asked for with what was done.
func explain(asked, waited time.Duration) string {
	if near(asked, waited) {
		return human(asked)
	}
	return fmt.Sprintf("asked %s, waited %s", human(asked), human(waited))
}

// near allows for the time that a computer takes.
func near(a, b time.Duration) bool {
	return (a - b).Abs() <= max(a/50, blink)
}
