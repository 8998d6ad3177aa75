package poller_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A history records what goroutines observed of a value that only grows, such as an operation's
// progress. It is linearizable if each call observes at least as much progress as every call that
// returned before it started, and no two calls observe different ends.
type history struct {
	clock atomic.Int64
	mu    sync.Mutex
	seen  []observation
}

// An observation records one call and what it observed.
type observation struct {
	what        string
	call, ret   int64
	least, most int    // bounds on the progress that the call observed
	end         string // the end that the call observed; "" if it observed none
}

// unseen is the observation of a call that observed nothing, for example because it failed.
var unseen = observation{most: far}

// far is the progress of an operation that has ended.
const far = 1000

// observationOf returns an observation of n steps of progress, or of an ended operation if end is
// not empty.
func observationOf(n int, end string) observation {
	if end != "" {
		n = far
	}
	return observation{least: n, most: n, end: end}
}

// record calls f and adds its observation to the history.
func (h *history) record(what string, f func() observation) {
	call := h.clock.Add(1)
	s := f()
	s.what, s.call, s.ret = what, call, h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, s)
}

// check returns an error unless the history is linearizable.
func (h *history) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	byCall, byReturn := slices.Clone(h.seen), slices.Clone(h.seen)
	slices.SortFunc(byCall, func(a, b observation) int { return cmp.Compare(a.call, b.call) })
	slices.SortFunc(byReturn, func(a, b observation) int { return cmp.Compare(a.ret, b.ret) })
	var before, ended observation // the finished call that observed the most progress so far, and the last call that observed an end
	for _, s := range byCall {
		for len(byReturn) > 0 && byReturn[0].ret < s.call {
			if byReturn[0].least > before.least {
				before = byReturn[0]
			}
			byReturn = byReturn[1:]
		}
		if s.most < before.least {
			return fmt.Errorf("%+v came after %+v and saw less", s, before)
		}
		if s.end == "" {
			continue
		}
		if ended.end != "" && ended.end != s.end {
			return fmt.Errorf("%+v and %+v saw two ends", s, ended)
		}
		ended = s
	}
	return nil
}

func TestHistory(t *testing.T) {
	tests := map[string]struct {
		seen []observation
		want string
	}{
		"none":        {nil, ""},
		"one by one":  {[]observation{{call: 1, ret: 2, least: 1, most: 1}, {call: 3, ret: 4, least: 2, most: 2}}, ""},
		"at once":     {[]observation{{call: 1, ret: 3, least: 2, most: 2}, {call: 2, ret: 4, least: 1, most: 1}}, ""},
		"back":        {[]observation{{call: 1, ret: 2, least: 2, most: 2}, {call: 3, ret: 4, least: 1, most: 1}}, "saw less"},
		"far back":    {[]observation{{call: 5, ret: 6, least: 1, most: 1}, {call: 1, ret: 2, least: 2, most: 2}, {call: 3, ret: 4, least: 3, most: 3}}, "saw less"},
		"not ended":   {[]observation{{call: 1, ret: 2, least: far, most: far, end: "a"}, {call: 3, ret: 4, most: far - 1}}, "saw less"},
		"a failure":   {[]observation{{call: 1, ret: 2, least: far, most: far, end: "a"}, {call: 3, ret: 4, most: far}}, ""},
		"two ends":    {[]observation{{call: 1, ret: 3, least: far, most: far, end: "a"}, {call: 2, ret: 4, least: far, most: far, end: "b"}}, "two ends"},
		"the one end": {[]observation{{call: 1, ret: 3, least: far, most: far, end: "a"}, {call: 2, ret: 4, least: far, most: far, end: "a"}}, ""},
	}
	for name, tt := range tests {
		err := (&history{seen: tt.seen}).check()
		if tt.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, tt.want, name)
		}
	}
}
