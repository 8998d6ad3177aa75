package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// plain writes a line a second until ended is closed.
func plain(w io.Writer, m *meter, ended <-chan struct{}) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
		case <-ended:
			return nil
		}
		if _, err := fmt.Fprintln(w, line(m.sample())); err != nil {
			return err
		}
	}
}

// line tells on one line how the fleet is getting on.
func line(s stats) string {
	return fmt.Sprintf("%s  waiting %d  in flight %d  done %d  failed %d  canceled %d  polls/s %.0f  errors %d  heap %s  resident %s  goroutines %d  connections %d",
		clock(s.Elapsed), s.waiting(), s.Group.InFlight, s.Done, s.Failed, s.Canceled, s.rate(), s.Group.Errors,
		bytesOf(s.Memory.Heap), bytesOf(s.Memory.RSS), s.Goroutines, s.Service.Open)
}

// summary tells what came of all operations. Its parts add up to their number.
func summary(s stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s operations in %s: %s done, %s failed, %s canceled.\n",
		number(s.N), clock(s.Elapsed), number(s.Done), number(s.Failed), number(s.Canceled))
	if s.Resumable > 0 {
		fmt.Fprintf(&b, "%s have not ended and can be resumed: each has a token. This program stores none.\n", number(s.Resumable))
	}
	if n := s.unbegun(); n > 0 {
		fmt.Fprintf(&b, "%s were not begun, or the answer did not come.\n", number(n))
	}
	if s.Refused > 0 {
		fmt.Fprintf(&b, "%s were refused by the service.\n", number(s.Refused))
	}
	if s.Lost > 0 {
		fmt.Fprintf(&b, "%s have not ended and cannot be resumed.\n", number(s.Lost))
	}
	fmt.Fprintf(&b, "%s polls, %.0f a second; %s errors survived.\n", number(s.Group.Polls), s.Average, number(s.Group.Errors))
	fmt.Fprintf(&b, "Memory at most: heap %s, resident %s; the service, with its log, %s. %s connections were made.\n",
		bytesOf(s.Peak.Heap), bytesOf(s.Peak.RSS), bytesOf(s.Service.Memory.RSS), number(int(s.Service.Dialed)))
	return b.String()
}
