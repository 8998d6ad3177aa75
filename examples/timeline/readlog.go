package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"
)

// A record is a line of the log. Not every line has everything.
type record struct {
	Time time.Time
	Msg  string

	Method, URL string         // of an exchange
	Took        time.Duration  // until the answer's head
	Status      int            // of the answer, and of a reading: of the answer that told the status last; 0: none
	RetryAfter  *time.Duration // that the answer asked for

	State, Word string // last told
	Next        time.Time
	Error       string
	Failures    int
}

// readLog makes a wait of a log. What it does not know it passes by, so that a
// program may log what it likes among it.
func readLog(r io.Reader) (*wait, error) {
	w := &wait{}
	var sent []record // exchanges of the reading that is yet to be told
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var rec record
		if json.Unmarshal(lines.Bytes(), &rec) != nil {
			continue
		}
		switch rec.Msg {
		case "exchange":
			sent = append(sent, rec)
			continue
		case "began":
			w.add(begin, rec, sent)
		case "lro: poll":
			w.add(poll, rec, sent)
		case "lro: result":
			w.add(result, rec, sent)
		case "ended":
			w.failure = rec.Error
			w.breakOff(sent)
		default:
			continue
		}
		sent = nil
	}
	w.breakOff(sent)
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(w.readings) == 0 {
		return nil, errors.New("no record of a poller in the log; see Logger in poller.Options, and its level is Debug")
	}
	return w, nil
}

// breakOff adds a reading that nobody told the outcome of: the wait ended in the
// middle of it, or the log does.
func (w *wait) breakOff(sent []record) {
	if len(sent) > 0 {
		last := sent[len(sent)-1]
		last.Error = "broken off"
		w.add(poll, last, sent)
	}
}

// add takes over what a record tells of a reading, and its exchanges.
func (w *wait) add(k kind, rec record, sent []record) {
	from := rec.Time
	rd := reading{kind: k, url: rec.URL, next: rec.Next, err: rec.Error, failures: rec.Failures}
	if rec.Error == "" {
		rd.code = rec.Status // else it is of an answer before
	}
	if len(sent) > 0 {
		last := sent[len(sent)-1]
		for _, e := range slices.Backward(sent) { // attempts at the same; a Cancel may have come before
			if e.Method != last.Method || e.URL != last.URL {
				break
			}
			from = e.Time.Add(-e.Took)
		}
		rd.method, rd.url, rd.asked, rd.code = last.Method, last.URL, last.RetryAfter, last.Status
		rd.known = true
	}
	if len(w.readings) == 0 {
		w.start = from
	}
	rd.sent, rd.told = from.Sub(w.start), rec.Time.Sub(w.start)
	if rd.state, rd.word = rec.State, rec.Word; k == result || rd.state == "" {
		rd.state, rd.word = w.last().state, w.last().word
	}
	w.readings = append(w.readings, rd)
}
