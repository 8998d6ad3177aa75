package poller_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// Any code from 200 to 299 means success (RFC 9110, section 15.3), but 300 does not. The test does
// not poll for a provisioningState, because such polls accept only 200, 201, 202 and 204.
func TestEvery2xxIsASuccess(t *testing.T) {
	const done, made = ` {"status":"Succeeded"}`, ` {"properties":{"provisioningState":"Succeeded"}}`
	impatient := &poller.Options{Patience: poller.Patience{Time: -1}}
	confirming := &poller.Options{Patience: poller.Patience{Time: -1}, Strategy: poller.Confirm(nil, poller.Check{State: func(strategy.Answer) poller.State { return poller.Succeeded }})}
	for name, row := range map[string]struct {
		began reply
		asks  map[string]string // the bodies of the responses that have the code under test, keyed by request
		other map[string]reply
		opts  *poller.Options
	}{
		"of an operation resource": {accepted, map[string]string{get(monitor): done}, map[string]reply{get(resource): widget}, impatient},
		"of a Location":            {acceptedAt, map[string]string{get(monitor): ` "result"`}, nil, impatient},
		"of the result":            {accepted, map[string]string{get(resource): made}, map[string]reply{get(monitor): succeeded}, impatient},
		"of a check":               {acceptedAt, map[string]string{get(resource): made}, map[string]reply{get(monitor): `200 "result"`}, confirming},
		"of a check and result":    {accepted, map[string]string{get(resource): made}, map[string]reply{get(monitor): succeeded}, confirming},
	} {
		t.Run(name, func(t *testing.T) {
			for code, success := range map[reply]bool{"200": true, "299": true, "300": false} {
				bubble(t, func(t *testing.T) {
					replies := map[string][]reply{"PUT " + resource: {row.began}}
					for what, body := range row.asks {
						replies[what] = []reply{code + body}
					}
					for what, answer := range row.other {
						replies[what] = []reply{answer}
					}
					s := serve(replies)
					v, err := begin(t, s, "PUT", row.opts).PollUntilDone(t.Context())
					if !success {
						require.Error(t, err)
						require.False(t, name == "of the result" && errors.Is(err, strategy.ErrNoStatus), "a 2xx without a body must be a valid result")
						return
					}
					require.NoError(t, err, code)
					require.NotEmpty(t, v)
					require.Len(t, s.requests(), 1+len(row.asks)+len(row.other), "a known result must not be read again")
				})
			}
		})
	}
}

// If a check gets an HTML page or an empty body, the read fails, and the poller does not call
// Check.State.
func TestHTMLPageIsNotShownToCheck(t *testing.T) {
	for _, page := range []reply{"200 <html>", "299 <html>", "200", "299"} {
		bubble(t, func(t *testing.T) {
			check := poller.Check{State: func(strategy.Answer) poller.State { return poller.Succeeded }}
			p := begin(t, serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {page}}), "PUT", confirming(check))
			_, err := p.Poll(t.Context())
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.IsType(t, &lroerrors.StatusError{}, err, page)
			require.False(t, p.Done())
		})
	}
}

func TestEvery2xxAcceptsCancel(t *testing.T) {
	cancelable := &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil }}
	for code, ok := range map[reply]bool{"200": true, "299": true, "300": false} {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, "POST /cancel": {code}})
		err := begin(t, s, "PUT", cancelable).Cancel(t.Context())
		if ok {
			require.NoError(t, err, code)
		} else {
			require.IsType(t, &lroerrors.StatusError{}, err, code)
		}
	}
}
