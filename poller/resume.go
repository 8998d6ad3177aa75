package poller

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// resume makes a core from a token, ours or azcore's.
func resume(text string, client Doer, opts *Options) (*core, error) {
	if len(text) > maxToken {
		return nil, badToken("it is %d bytes, the limit is %d", len(text), maxToken)
	}
	set, err := resolve(opts)
	if err != nil {
		return nil, err
	}
	s, err := readToken(text)
	if err != nil {
		return nil, err
	}
	for _, raw := range s.asked() {
		if err := vetToken(set, &s, raw); err != nil {
			return nil, fmt.Errorf("lro: resume: %w", err)
		}
	}
	c := newCore(set, set.origins, client, s)
	c.retold()
	c.bound()
	if s.First != nil {
		return c, c.restart()
	}
	return c, nil
}

// readToken reads either kind of token.
func readToken(text string) (state, error) {
	s, err := decodeToken(text)
	if err != nil {
		if theirs, ok := decodeAzcore(text); ok {
			return theirs, nil
		}
	}
	return s, err
}

// asked are the URLs of a token that lead to its status. That of a result is
// looked at when the result is read: that the operation succeeded is not to be
// lost to it.
func (s *state) asked() []string {
	urls := []string{s.Target, s.Poll}
	switch {
	case s.First != nil: // where it leads is looked at when it is followed
		urls = []string{cmp.Or(s.Target, s.First.URL)}
	case s.done():
		urls = []string{cmp.Or(s.Target, s.Poll)}
	}
	return slices.DeleteFunc(urls, func(u string) bool { return u == "" })
}

// restart shows the first answer of an operation that could not be followed to
// the strategy again.
func (c *core) restart() error {
	f := c.s.First
	if f.Broken {
		f.Err = errors.New("the body was not stored, because it was not read whole or was too large")
		f.doubt(c.s.Method)
	}
	return c.start(nil)
}

// bound keeps a token, or a clock that was set, from putting off the next read
// further than any schedule of ours would.
func (c *core) bound() {
	now := time.Now()
	latest := now.Add(c.Cadence.Max)
	switch {
	case c.s.Held && c.s.confirming():
		latest = now.Add(c.Confirm.After)
	case c.s.Held:
		latest = now.Add(max(retryAfterMax, c.Repeat.Every))
	case c.s.Failing != nil:
		latest = now.Add(retryAfterMax)
	}
	c.s.Next = earlier(c.s.Next, latest)
	c.s.LastRead = earlier(c.s.LastRead, now)
}

// retold makes a state that a token brought one that these options can follow. What
// was told counts where there is no option to doubt it.
func (c *core) retold() {
	s := &c.s
	if s.confirming() && c.Confirm == nil {
		s.Status.State = Succeeded
		s.Failing, s.Asked, s.Next = nil, false, s.LastRead
	}
	if s.repeating() && (c.Repeat == nil || c.Repeat.Request == nil) {
		s.giveUp(s.extras().Refused)
	}
	s.Checking = s.Checking && c.crossCheck(s) != nil
	s.Held = s.Held && (s.confirming() || s.repeating())
	s.keep(c.retoldExtra(s))
}

// retoldExtra is what the options that there are make of what a state holds for them.
func (c *core) retoldExtra(s *state) extra {
	x := s.extras()
	if !s.confirming() && !s.Checking && c.CrossCheck == nil {
		x.Said, x.Count = "", 0
	}
	x.Unread = x.Unread && s.Checking
	x.Began = earlier(x.Began, time.Now())
	if x.Began.IsZero() && !s.done() {
		x.Began = c.beginning()
	}
	return x
}
