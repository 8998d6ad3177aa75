package record

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/lro-go/lro/poller/strategy"
)

// apply applies an event to r, as package engine does. The read starts when it is due and takes a
// second. The returned string says whether and how the wait ends.
func apply(r *Record, e event, rules *Rules) string {
	if e.undecoded {
		return undecodedBy(r)
	}
	return applyAt(r, e, r.Due(), rules)
}

// applyAt is like apply, but the read starts at the given time.
func applyAt(r *Record, e event, start time.Time, rules *Rules) string {
	read := e.read
	target, _ := r.Task()
	read.URL = string(target)
	read.Poll = string(target)
	if r.Phase == Unfollowed {
		return follow(r, &read, rules)
	}
	f := r.Apply(&read, start, start.Add(time.Second), rules)
	if f != nil && f.AskStrategy && hasNext(&e.answer) {
		a := read.Answer
		r.Replace(&a, &e.answer, f, rules)
		f.AskStrategy = false
	}
	return waitOf(r, f)
}

// undecodedBy handles an undecodable result in the same way as package poller.
func undecodedBy(r *Record) string {
	from := r.Result.From
	r.RetryResult()
	if r.Phase == PendingResult && !from.IsZero() {
		return continues
	}
	return resultError
}

// follow applies the Move that a strategy returned for the first response.
func follow(r *Record, read *Reading, rules *Rules) string {
	r.Poll = r.First.URL
	read.URL = string(r.First.URL)
	r.First = nil
	if r.Adopt(&read.Answer, &read.Move, rules) != nil {
		return unfollowed
	}
	return waitOf(r, nil)
}

// waitOf returns how the wait ends after a read, or that it continues. f is the read's failure, if
// any.
func waitOf(r *Record, f *Failure) string {
	switch {
	case f != nil && f.Result != nil:
		return resultError
	case f != nil && f.AskStrategy:
		return "ends with `" + string(f.Reason) + "`" + orReplaced
	case f != nil && f.Reason != "":
		return "ends with `" + string(f.Reason) + "`"
	case f != nil || r.Phase != Ended:
		return continues
	case r.Status.State != strategy.Succeeded:
		return operation
	case r.Result.Err != "":
		return resultError
	}
	return result
}

// readOf returns the first column of a row, which says what is read when the event occurs.
func readOf(r *Record) string {
	if r.Phase == Unfollowed {
		return "the first request"
	}
	return next(r)
}

// next returns the last path segment of the next URL to read, or "nothing".
func next(r *Record) string {
	if r.Phase == Ended {
		return "nothing"
	}
	target, _ := r.Task()
	return path.Base(string(target))
}

// pauseOf returns the pause before the next read, such as "1m" or "at once".
func pauseOf(r *Record) string {
	if r.Phase == Ended {
		return ""
	}
	pause := r.Due().Sub(r.LastRead)
	if pause == 0 {
		return "at once"
	}
	return strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(pause.String())
}

// text returns a row of a table in docs/moves.md. The parameter read is the row's first column.
func (m *move) text(read string) string {
	row := fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %s |", read, m.event.text, m.phase, m.reads, m.after, m.count, m.wait)
	return strings.ReplaceAll(row, "|  |", "| |")
}
