package security

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/resource"
)

type raw = json.RawMessage

// TestRequestsStayWithinOrigins passes hostile URLs to a poller in every way that a service or a
// token can. All requests, and thus all credentials, must go to the allowed origin.
func TestRequestsStayWithinOrigins(t *testing.T) {
	for name := range clients {
		t.Run(name, func(t *testing.T) {
			for _, w := range ways() {
				t.Run(w.name+", "+w.method, func(t *testing.T) { tryAll(t, w, name, "PollUntilDone", formsWith(name)) })
			}
		})
	}
}

// TestOriginsForEveryWayToWait is like TestRequestsStayWithinOrigins, but waits with Poll, Updates
// and Group, and tries only the first form of each class.
func TestOriginsForEveryWayToWait(t *testing.T) {
	for _, drive := range []string{"Poll", "Updates", "Group"} {
		t.Run(drive, func(t *testing.T) {
			for _, w := range ways() {
				if w.at == atPoll || w.at == atResult {
					tryAll(t, w, ourClient, drive, few)
				}
			}
		})
	}
}

// TestLongHostsStayOutsideOrigins is like TestRequestsStayWithinOrigins, but with host names of 64
// KiB. The poller must reject such URLs quickly.
func TestLongHostsStayOutsideOrigins(t *testing.T) {
	type kind struct {
		at                place
		token, asRedirect bool
	}
	tried := map[kind]bool{}
	for _, w := range ways() {
		k := kind{w.at, w.token != nil, w.asRedirect}
		if tried[k] {
			continue
		}
		tried[k] = true
		for name := range clients {
			t.Run(w.name+", "+name, func(t *testing.T) { tryAll(t, w, name, "PollUntilDone", long) })
		}
	}
}

// formsWith returns the forms that the tests try with a client.
func formsWith(client string) []form {
	if client == ourClient && everyForm {
		return forms
	}
	return few
}

// tryAll tries each of the forms in a synctest bubble.
func tryAll(t *testing.T, w way, client, drive string, forms []form) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for _, f := range forms {
			newTry(w, f, client).run(t, drive)
		}
	})
}

// A try passes one form of URL to a poller in one way.
type try struct {
	way
	form
	*rig
	above  string // the client's key in the map named clients
	client poller.Doer
	opts   poller.Options
}

func newTry(w way, f form, client string) *try {
	if f.is == secured {
		f.is = w.kindOfSecured()
	}
	r := &rig{replies: w.replies(f.url)}
	r.replies[cmp.Or(w.asks, "GET")+" /h"] = []answer{{cmp.Or(w.code, hostile.code), nil, hostile.body}}
	opts := w.opts
	opts.Header = http.Header{"Authorization": {"Bearer " + canary}}
	return &try{w, f, r, client, clients[client](r), opts}
}

// kindOfSecured returns the kind of an http URL whose host is the host of the https origin. The
// kind is foreign if the poller must reject the URL, and ours if the poller must replace http with
// https.
func (w way) kindOfSecured() kind {
	if w.asRedirect || w.verbatim || w.at == atResume || w.at == atCancel {
		return foreign
	}
	return ours
}

func (y *try) run(t *testing.T, drive string) {
	t.Helper()
	if y.token != nil && y.is == ours && !y.absolute() {
		return // a token cannot contain a relative URL
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	p, err := y.start(t)
	switch {
	case err != nil:
	case y.at == atCancel:
		err = p.Cancel(ctx)
	default:
		err = drives[drive](ctx, p)
	}
	y.requireHome(t, "", "%q", y.url)
	y.requireOutcome(t, err)
	if err == nil || y.is == stays {
		return
	}
	require.NotContains(t, err.Error(), "s3cret", "%q", y.url)
	if y.at == atFirst || y.at == atResume {
		return
	}
	token, tokenErr := tokenOf(p, err)
	if len(y.url) > 60<<10 && tokenErr != nil {
		require.Contains(t, tokenErr.Error(), "the limit is 65536") // the URL is too long for a token, but not for the poller
		return
	}
	require.NoError(t, tokenErr, "%q: the operation must not be lost", y.url)
	if y.token == nil && !y.inMemo {
		require.NotContains(t, token, "s3cret", "a token must not contain user-info")
	}
	y.resumeWidened(t, token)
}

// start begins or resumes the operation.
func (y *try) start(t *testing.T) (*poller.Poller[raw], error) {
	t.Helper()
	if y.token != nil {
		opts := y.opts
		opts.Origins = []string{home}
		return poller.Resume[raw](y.token(y.url), y.client, &opts)
	}
	req, err := http.NewRequestWithContext(context.Background(), y.method, home+resourcePath+"?api-version=1", strings.NewReader("{}"))
	require.NoError(t, err)
	return poller.Begin[raw](req, y.client, &y.opts)
}

func (y *try) requireOutcome(t *testing.T, err error) {
	t.Helper()
	switch {
	case y.asRedirect && y.above == theirDoer && y.unread, y.renews && y.above == plainClient:
		// These tries can end in several ways: theirDoer follows redirects within an origin, and
		// plainClient cannot get a second token.
	case y.unread, y.writes && y.is == ours && y.above == plainClient:
		require.Empty(t, y.lastRequestToH(), "%q", y.url)
	case y.is == stays:
	case y.is == ours:
		require.NoError(t, err, "%q", y.url)
		y.requireAsked(t)
	default:
		y.requireRefused(t, err)
	}
}

// requireAsked fails the test unless the last request to /h had the expected path and query, byte
// for byte.
func (y *try) requireAsked(t *testing.T) {
	t.Helper()
	want, _, _ := strings.Cut(y.url[strings.Index(y.url, "/h"):], "#")
	if y.asBase {
		want = "/h"
	}
	if strategy, ok := y.opts.Strategy.(resource.Strategy); ok && strategy.KeepQuery && !strings.Contains(want, "?") {
		want += "?api-version=1"
	}
	require.Equal(t, want, y.lastRequestToH(), "%q", y.url)
}

// requireRefused fails the test if a request was sent to the URL, or if err has the wrong type or
// cause.
func (y *try) requireRefused(t *testing.T, err error) {
	t.Helper()
	require.Empty(t, y.lastRequestToH(), "%q", y.url)
	if y.is == broken && (y.at == atPoll || y.at == atResult) {
		return // the poller may ignore a broken URL if the previous one is valid
	}
	require.Error(t, err, "%q", y.url)
	reasons := []error{lroerrors.ErrForeignOrigin}
	if y.is == broken {
		reasons = append(reasons, lroerrors.ErrNoOperation)
	}
	if y.token != nil && errors.Is(err, lroerrors.ErrBadToken) {
		return // the token is too long, or contains a URL that is not absolute
	}
	is := func(reason error) bool { return errors.Is(err, reason) }
	unparsed := y.is == broken && y.asRedirect // net/http returns its own error for such a redirect
	require.True(t, unparsed || slices.ContainsFunc(reasons, is), "%q: %v", y.url, err)
	switch y.at {
	case atFirst, atCancel:
		require.IsType(t, &lroerrors.StatusError{}, err, "%q: %v", y.url, err)
	case atBegin:
		require.Equal(t, lroerrors.ReasonUnfollowable, err.(*lroerrors.WaitError).Reason, "%q", y.url) //nolint:errorlint // only the outermost error matters
	case atPoll:
		require.IsType(t, &lroerrors.WaitError{}, err, "%q: %v", y.url, err)
	case atResult:
		require.IsType(t, &lroerrors.ResultError{}, err, "%q: %v", y.url, err)
	}
}

// resumeWidened resumes the operation with y.widen as an additional origin, and fails the test
// unless the poller then reads the URL.
func (y *try) resumeWidened(t *testing.T, token string) {
	t.Helper()
	if y.token != nil && !y.absolute() || y.widen == "" || y.at == atCancel || y.unread {
		return
	}
	opts := y.opts
	opts.Origins = []string{home, y.widen}
	p, err := poller.Resume[raw](token, y.client, &opts)
	require.NoError(t, err, "%q", y.url)
	_, err = p.PollUntilDone(t.Context())
	require.NoError(t, err, "%q", y.url)
	u, err := url.Parse(y.widen)
	require.NoError(t, err)
	y.requireHome(t, u.Hostname(), "%q", y.url)
	require.NotEmpty(t, y.lastRequestToH())
}

func tokenOf(p *poller.Poller[raw], err error) (string, error) {
	if p != nil {
		return p.ResumeToken()
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		return wait.ResumeToken()
	}
	return "", err
}

// drives has a function for each way to wait for an operation.
var drives = map[string]func(context.Context, *poller.Poller[raw]) error{
	"PollUntilDone": func(ctx context.Context, p *poller.Poller[raw]) error {
		_, err := p.PollUntilDone(ctx)
		return err
	},
	"Poll": func(ctx context.Context, p *poller.Poller[raw]) error {
		for !p.Done() {
			time.Sleep(time.Until(p.NextPoll()))
			if _, err := p.Poll(ctx); isWait(err) {
				return err
			}
		}
		for {
			_, err := p.Result(ctx)
			if _, failed := err.(*lroerrors.StatusError); !failed { //nolint:errorlint // only the outermost error matters
				return err
			}
			time.Sleep(time.Until(p.NextPoll()))
		}
	},
	"Updates": func(ctx context.Context, p *poller.Poller[raw]) error {
		for _, err := range p.Updates(ctx) {
			if err != nil {
				return err
			}
		}
		_, err := p.PollUntilDone(ctx)
		return err
	},
	"Group": func(ctx context.Context, p *poller.Poller[raw]) (err error) {
		g := poller.NewGroup[*poller.Poller[raw]](nil)
		g.Add(p)
		g.Close()
		for _, err = range g.Wait(ctx) {
		}
		return err
	},
}

func isWait(err error) bool {
	_, ok := errors.AsType[*lroerrors.WaitError](err)
	return ok
}
