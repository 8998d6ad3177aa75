package poller

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/internal/wire"
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

// vetToken demands that a token's URL leads to an origin that the caller named.
// The token cannot vouch for itself.
func vetToken(set *settings, s *state, raw string) error {
	u, _, err := wire.ParseURL(raw)
	if err != nil {
		return badToken("it has a URL that cannot be parsed")
	}
	if err := allow(set.origins, &u, s.Target); err != nil {
		return fmt.Errorf("%w; name the origins you trust in Options.Origins", err)
	}
	return nil
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

// doubt takes an answer whose body could not be read for no more than it tells:
// that the service accepted the request. The resource of a PUT or PATCH will tell.
func (f *firstAnswer) doubt(method string) {
	if f.Broken && (method == http.MethodPut || method == http.MethodPatch) {
		f.Code = http.StatusAccepted
	}
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
