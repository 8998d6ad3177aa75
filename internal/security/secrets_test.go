package security

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

const signed = "?api-version=1&sig=CANARY-signature"

// A run is an operation with a particular ending. Its requests and responses are full of secrets.
type run struct {
	name    string
	begin   answer
	poll    []answer
	fail    error // if not nil, every poll fails with this error
	opts    poller.Options
	echoes  bool // the service's error repeats secrets, so the test does not check JSON and the token
	cancel  bool
	timeout time.Duration
	t       transport.Options
}

var signedOp = accept("Azure-AsyncOperation", home+monitorPath+signed, "Location", home+"/r"+signed)

func runs() []run {
	refused := `{"error":{"code":"C","message":"no","innererror":{"trace":1}}}`
	echo := `{"error":{"code":"C","message":"POST ` + home + resourcePath + signed + ` with Bearer CANARY-bearer and https://u:CANARY@h.test failed"}}`
	once := poller.Patience{Time: -1}
	poll := func(code int, body string) []answer { return []answer{{code, nil, body}} }
	redirect := func(to string) []answer { return []answer{{307, map[string]string{"Location": to}, ""}} }
	return []run{
		{name: "result refused", poll: []answer{running, succeeded}},
		{name: "failed", poll: poll(200, `{"status":"Failed","error":{"code":"C","message":"m","details":[{"code":"D"}]}}`)},
		{name: "canceled", poll: poll(200, `{"status":"Canceled"}`)},
		{name: "refused", poll: poll(403, refused)},
		{name: "refused with an echo", poll: poll(403, echo), echoes: true},
		{name: "failed with an echo", poll: poll(200, `{"status":"Failed",`+echo[1:]), echoes: true},
		{name: "gone", poll: poll(410, "")},
		{name: "patience", poll: poll(503, refused)},
		{name: "not accepted", begin: answer{409, nil, refused}},
		{name: "unparsable", poll: poll(200, "<html>oops"), opts: poller.Options{Patience: once}},
		{name: "oversize", poll: poll(200, strings.Repeat(" ", 100)), opts: poller.Options{Patience: once, MaxStatusBytes: 10}},
		{name: "foreign origin", begin: accept("Location", "https://u:CANARY@evil.test/x"+signed)},
		{name: "foreign update", poll: []answer{{200, map[string]string{"Azure-AsyncOperation": "https://u:p@CANARY@evil.test/" + signed}, running.body}}},
		{name: "unfollowable", begin: accept("Location", "https://evil.test:x/"+signed)},
		{name: "redirect refused", poll: redirect("https://u:CANARY@evil.test/" + signed)},
		{name: "redirect that is no URL", poll: redirect("https://u:CANARY@evil.test/%zz" + signed), opts: poller.Options{Patience: once}},
		{name: "TLS error", fail: &url.Error{Op: "Get", URL: home + signed, Err: x509.UnknownAuthorityError{}}},
		{name: "dial error", fail: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}, opts: poller.Options{Patience: once}},
		{name: "wrapped dial error", opts: poller.Options{Patience: once}, fail: fmt.Errorf("sending: %w", &url.Error{Op: "Get", URL: home + signed, Err: net.ErrClosed})},
		{name: "joined errors", opts: poller.Options{Patience: once}, fail: errors.Join(errors.New("x"), &url.Error{Op: "Get", URL: "https://u:CANARY@h.test", Err: net.ErrClosed})},
		{name: "error with a harmless text", opts: poller.Options{Patience: once}, fail: harmlessText{&url.Error{Op: "Get", URL: home + signed, Err: net.ErrClosed}}},
		{name: "timeout", poll: []answer{running}, timeout: 90 * time.Second},
		{name: "cancel refused", poll: poll(409, refused), cancel: true},
		{name: "retries spent", poll: poll(503, refused), t: transport.Options{Retries: 5}, opts: poller.Options{Patience: once}},
		{name: "no token", poll: []answer{running}, t: transport.Options{Token: failingToken()}},
		{name: "no authorization", t: transport.Options{Authorize: func(*http.Request) error {
			return &url.Error{Op: "Post", URL: "https://login.test/?client_secret=CANARY", Err: net.ErrClosed}
		}}},
	}
}

// A harmlessText is an error that wraps an error with a secret, but whose own text is harmless.
type harmlessText struct{ err error }

func (harmlessText) Error() string   { return "no" }
func (q harmlessText) Unwrap() error { return q.err }

// failingToken returns a Token function that returns one token and then fails.
func failingToken() func(context.Context, transport.TokenRequest) (transport.Token, error) {
	n := 0
	return func(context.Context, transport.TokenRequest) (transport.Token, error) {
		if n++; n > 1 {
			return transport.Token{}, errors.New("no token: Bearer CANARY-old has expired")
		}
		return transport.Token{Value: "CANARY-bearer", Expires: time.Now().Add(time.Second)}, nil
	}
}

// TestNoSecretIsShown plays every run and looks for secrets in errors, JSON and logs.
func TestNoSecretIsShown(t *testing.T) {
	for _, r := range runs() {
		for _, drive := range []string{"PollUntilDone", "Updates", "Group"} {
			t.Run(r.name+", "+drive, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { r.play(t, drive) })
			})
		}
	}
}

func (r run) play(t *testing.T, drive string) {
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if r.begin.code == 0 {
		r.begin = signedOp
	}
	base := failing{&rig{replies: replies{
		"POST " + resourcePath: {r.begin}, "GET " + monitorPath: r.poll, "GET /r": {{403, nil, ""}}, "DELETE " + monitorPath: r.poll,
	}}, r.fail}
	topts := r.t
	topts.Base, topts.Logger = base, logger
	if topts.Token == nil {
		topts.Token = func(context.Context, transport.TokenRequest) (transport.Token, error) {
			return transport.Token{Value: "CANARY-bearer"}, nil
		}
	}
	opts := r.opts
	opts.Logger, opts.Header = logger, http.Header{"X-Api-Key": {"CANARY-key"}}
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: monitorPath + signed, Body: raw(`"CANARY-body"`)}, nil
	}
	if r.timeout > 0 {
		opts.Cadence.Default = time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(r.timeout, 2*time.Hour))
	defer cancel()
	client := transport.NewClient(&topts)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, home+resourcePath+signed, strings.NewReader(`"CANARY-body"`))
	require.NoError(t, err)
	req.Header.Set("Cookie", "CANARY-cookie")

	p, err := poller.Begin[raw](req, client, &opts)
	values := []any{err, &opts, &topts, client, client.Transport}
	if err == nil {
		if r.cancel {
			err = p.Cancel(ctx)
			require.Error(t, err)
		} else {
			err = drives[drive](ctx, p)
		}
		token, tokenErr := p.ResumeToken()
		require.NoError(t, tokenErr)
		for _, secret := range []string{"bearer", "key", "body", "cookie"} {
			require.True(t, r.echoes || !strings.Contains(token, "CANARY-"+secret), "a token must contain no credential")
		}
		_, bad := poller.Resume[raw](token[:len(token)-1], client, &opts)
		require.Error(t, bad)
		_, lost := poller.Resume[raw](token, client, &opts)
		require.Error(t, lost)
		g := poller.NewGroup[*poller.Poller[raw]](nil)
		g.Add(p)
		values = append(values, err, p, p.Status(), g, bad, lost)
	}
	require.Error(t, err, "each run ends with an error")
	for _, v := range values {
		requireNoCanary(t, v)
		requireNoCanaryInLog(t, v)
		if err, ok := v.(error); ok {
			requireNoCanaryInTree(t, err, r.echoes)
		} else if !r.echoes {
			requireNoCanaryInJSON(t, v)
		}
	}
	require.NotContains(t, logged.String(), "CANARY")
	require.Contains(t, logged.String(), home+resourcePath, "the log must have a record of the operation")
}

// failing is a RoundTripper that fails every GET with err, unless err is nil.
type failing struct {
	*rig
	err error
}

func (f failing) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.err != nil && req.Method == http.MethodGet {
		return nil, f.err
	}
	return f.rig.RoundTrip(req)
}

// requireNoCanaryInTree checks that neither err nor any error that it wraps shows a canary.
func requireNoCanaryInTree(t *testing.T, err error, echoes bool) {
	t.Helper()
	require.NotContains(t, err.Error(), "CANARY", "%T", err)
	for _, verb := range []string{"%v", "%+v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, err), "CANARY", "%s of %T", verb, err)
	}
	if !echoes {
		requireNoCanaryInJSON(t, err)
	}
	_, found := errors.AsType[*url.Error](err)
	require.False(t, found, "errors.As must not find a *url.Error, because its URL has a query")
	if status, ok := err.(*lroerrors.StatusError); ok && status.Err != nil { //nolint:errorlint // each error of the chain is checked
		requireNoCanaryInTree(t, status.Err, echoes)
	}
	switch wraps := err.(type) { //nolint:errorlint // each error of the chain is checked
	case interface{ Unwrap() error }:
		if inner := wraps.Unwrap(); inner != nil {
			requireNoCanaryInTree(t, inner, echoes)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range wraps.Unwrap() {
			requireNoCanaryInTree(t, inner, echoes)
		}
	}
}

func requireNoCanaryInJSON(t *testing.T, v any) {
	t.Helper()
	if b, err := json.Marshal(v); err == nil {
		require.NotContains(t, string(b), "CANARY", "JSON of %T", v)
	}
}

// TestNoSecretOfListingIsShown is like TestNoSecretIsShown, but for a pager.
func TestNoSecretOfListingIsShown(t *testing.T) {
	link := func(to string) answer { return answer{200, nil, `{"value":[1],"nextLink":` + jsonText(to) + `}`} }
	for _, second := range []answer{
		{200, nil, `{"value":[2]}`},
		{403, nil, "no"},
		{503, nil, "no"},
		{200, nil, "<html>"},
		link("/widgets" + signed), link("https://u:CANARY@evil.test/" + signed),
		link("https://evil.test/%zz" + signed),
		{302, map[string]string{"Location": "https://u:CANARY@evil.test/%zz" + signed}, ""},
	} {
		var logged bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		r := &rig{replies: replies{"GET /widgets": {link("/2" + signed)}, "GET /2": {second}}}
		client := transport.NewClient(&transport.Options{Base: r, Retries: -1, Logger: logger})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, home+"/widgets"+signed, http.NoBody)
		require.NoError(t, err)
		p := pager.New[int](req, client, &pager.Options{Logger: logger, Header: http.Header{"Authorization": {"Bearer CANARY-bearer"}}})
		for page, err := range p.Pages(t.Context()) {
			for _, v := range []any{page, p, err} {
				requireNoCanary(t, v)
				requireNoCanaryInLog(t, v)
				requireNoCanaryInJSON(t, v)
			}
			if err != nil {
				requireNoCanaryInTree(t, err, false)
			}
		}
		require.NotContains(t, logged.String(), "CANARY")
	}
}

// A panic in the caller's code reaches the caller unchanged. The Poller still prints no secret
// afterward.
func TestPanicShowsNoSecret(t *testing.T) {
	client := &http.Client{Transport: panicking{}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, home+resourcePath+signed, strings.NewReader("CANARY"))
	require.NoError(t, err)
	require.PanicsWithValue(t, "mine", func() { _, _ = poller.Begin[raw](req, client, nil) })
	p, err := poller.Resume[raw](jsonText(object{
		"lro": 1, "phase": "polling", "method": "POST", "target": home + resourcePath + signed, "poll": home + monitorPath + signed,
		"memo": object{"strategy": "location"}, "status": object{"state": "InProgress"},
	}), client, &poller.Options{Origins: []string{home}})
	require.NoError(t, err)
	for range 2 { // the second call checks that the first panic did not leave the Poller locked
		require.PanicsWithValue(t, "mine", func() { _, _ = p.Poll(t.Context()) })
	}
	requireNoCanary(t, p)
	requireNoCanaryInLog(t, p)
}

type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("mine") }
