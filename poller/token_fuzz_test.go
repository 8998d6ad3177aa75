package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller"
)

// A hostileService responds with the hostileAnswers in turn, over and over. It fails the test if a
// request is for another origin or has an unexpected header.
type hostileService struct {
	t     *testing.T
	turn  int
	asked int
}

const evilURL = "https://evil.test/x"

var hostileAnswers = []reply{
	`200 {"status":"Succeeded","resourceLocation":"` + evilURL + `","properties":{"provisioningState":"Succeeded"}}` + "\nLocation: " + evilURL,
	"202\nLocation: //evil.test/x\nRetry-After: 15",
	`200 {"status":"Failed","error":{"code":"C","message":"m"}}`,
	"404",
	`200 {"status":"Running","properties":{"provisioningState":"Updating"}}` + "\nAzure-AsyncOperation: " + evilURL + "\nOperation-Location: " + evilURL,
	"503\nRetry-After: 99999999999999999999",
	`200 {"status":"Running"}`,
	"200 <html>",
}

func (h *hostileService) Do(req *http.Request) (*http.Response, error) {
	require.Equal(h.t, "https", req.URL.Scheme)
	require.Nil(h.t, req.URL.User)
	require.Equal(h.t, "a.test", strings.ToLower(req.URL.Hostname()))
	require.Contains(h.t, []string{"", "443"}, req.URL.Port())
	for name := range req.Header {
		require.True(h.t, name == "Accept" || name == "Content-Type" || slices.Contains(exchange.PropagatedNames[:], name), "%s", name)
	}
	h.asked++
	head, lines, _ := strings.Cut(hostileAnswers[h.turn%len(hostileAnswers)], "\n")
	h.turn++
	code, body, _ := strings.Cut(head, " ")
	resp := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}
	resp.StatusCode = map[string]int{"200": 200, "202": 202, "404": 404, "503": 503}[code]
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		resp.Header.Set(name, value)
	}
	return resp, nil
}

var tokenSeeds = []string{
	`{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w","poll":"https://a.test/op","memo":{"strategy":"azure-async-operation"},"status":{"state":"InProgress"},"nextPoll":"2026-01-01T00:00:00Z"}`,
	`{"lro":1,"phase":"ended","method":"POST","target":"https://a.test/w","status":{"state":"Failed","error":{"code":"C","details":[{"message":"m"}]}}}`,
	`{"lro":1,"phase":"ended","method":"POST","target":"https://a.test/w","status":{"state":"Succeeded"},"result":{"body":"{}"}}`,
	`{"lro":1,"phase":"reading","method":"POST","target":"https://a.test/w","status":{"state":"Succeeded"},"result":{"url":"https://evil.test/r"}}`,
	`{"lro":1,"phase":"unfollowed","method":"POST","target":"https://a.test/w","status":{"state":"InProgress"},"first":{"url":"https://a.test/w","code":202,"header":{"Location":["/op"]}}}`,
	`{"lro":1,"phase":"polling","method":"DELETE","target":"https://a.test/w","poll":"https://a.test/w","else":"https://a.test/op","failures":{"lost":"Gone","count":3,"spent":"6m0s","notFound":2,"missing":"1s"},"header":{"Accept-Language":["de"]},"memo":{"crossCheck":{"read":true,"lost":true,"status":"https://a.test/op"},"inner":{"strategy":"location"}},"cancel":{"method":"POST","url":"https://evil.test/cancel"},"retryAfter":"2562047h47m16s","asked":true,"status":{"state":"InProgress","word":"Deleting","percentComplete":50,"startTime":"2026-01-01T00:00:00+02:00","operations":[{"state":"Failed"}]}}`,
	`{"lro":5}`,
	`{"lro":1,"phase":"polling","status":{"state":"InProgress"},"poll":"https://a.test:"}`,
	`{"asyncURL":"https://a.test/op","locURL":"","origURL":"https://a.test/w","method":"PUT","finalState":"","state":"InProgress"}`,
	`{"type":"T","token":{"type":"loc","pollURL":"https://a.test/op","state":"InProgress"}}`,
	`eyJ0eXBlIjoiYm9keSIsInBvbGxVUkwiOiJodHRwczovL2EudGVzdC93In0=`,
	`{"lro":1,"phase":"polling","status":{"state":"InProgress"},"poll":"https://evil.test/"}`,
	`{"lro":1,"phase":"unfollowed","status":{"state":"InProgress"},"first":{}}`,
	`{"lro":1,"phase":"unfollowed","status":{"state":"InProgress"},"first":{"code":200}}`,
	`{"lro":1,"phase":"unfollowed","status":{"state":"InProgress"},"first":{"url":"A://0","code":200}}`,
	`{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w","poll":"https://a.test/w","status":{"state":"InProgress","word":"Succeeded","unconfirmed":true},"held":true,"memo":{"confirm":{"said":"Succeeded","count":2,"body":"e30=","from":"https://a.test/w"}},"nextPoll":"2999-01-01T00:00:00Z"}`,
	`{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w","poll":"https://a.test/op","status":{"state":"InProgress"},"began":"2026-01-01T00:00:00Z","held":true,"now":3}`,
	`{"lro":1,"phase":"reading","status":{"state":"Succeeded"},"result":{"url":"https://a.test/%zz"},"now":-1}`,
	`{"lro":1,"phase":"polling","method":"PUT","target":"https://a.test/w","poll":"https://a.test/op","memo":{"":"` + "\xd8\xd8" + `"},"status":{"state":"InProgress"}}`,
}

var fuzzTrust = &poller.Options{Origins: []string{"https://a.test"}}

var fuzzOptions = []*poller.Options{
	fuzzTrust,
	{
		Origins:  []string{"https://a.test"},
		Strategy: poller.Confirm(poller.CrossCheck(nil, poller.Check{URL: "check", After: time.Second}), poller.Check{Delay: time.Hour}),
	},
}

// FuzzToken checks that Resume returns a poller or a documented error for any text. The poller must
// preserve everything in the token, send requests only to the allowed origins, and return a valid
// token in every state. A poller resumed from that token must have the same status and return the
// same token.
func FuzzToken(f *testing.F) {
	for i, seed := range tokenSeeds {
		f.Add(seed, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, turn uint8) {
		for _, opts := range fuzzOptions {
			bubble(t, func(t *testing.T) { followToken(t, text, turn, opts) })
		}
	})
}

func followToken(t *testing.T, text string, turn uint8, opts *poller.Options) {
	t.Helper()
	service := &hostileService{t: t, turn: int(turn)}
	p, err := poller.Resume[raw](text, service, opts)
	if err != nil {
		requireNamed(t, err)
		require.Zero(t, service.asked)
		return
	}
	requireFixpointWith(t, p, len(text), opts)
	requireKept(t, text, p)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	_, _ = p.Poll(ctx)
	requireFixpointWith(t, p, len(text), opts)
	_ = p.Cancel(ctx)
	requireFixpointWith(t, p, len(text), opts)
	v, err := p.PollUntilDone(ctx)
	requireFixpointWith(t, p, len(text), opts)
	if again, same := p.Result(ctx); err == nil {
		require.NoError(t, same)
		require.Equal(t, v, again)
	}
}

// requireNamed fails the test unless err is one of the errors that Resume documents.
func requireNamed(t *testing.T, err error) {
	t.Helper()
	for _, documented := range []error{lroerrors.ErrBadToken, lroerrors.ErrNewerToken, lroerrors.ErrForeignOrigin} {
		if errors.Is(err, documented) {
			return
		}
	}
	require.IsType(t, &lroerrors.WaitError{}, err)
}

// requireFixpoint fails the test unless a poller resumed from p's token returns the same token. The
// parameter size is the size of the token from which p was resumed.
func requireFixpoint(t *testing.T, p *poller.Poller[raw], size int) {
	t.Helper()
	requireFixpointWith(t, p, size, fuzzTrust)
}

func requireFixpointWith(t *testing.T, p *poller.Poller[raw], size int, opts *poller.Options) {
	t.Helper()
	first, err := p.ResumeToken()
	if err != nil {
		require.Contains(t, err.Error(), "the limit is 65536")
		return
	}
	require.LessOrEqual(t, len(first), 64<<10)
	again, err := poller.Resume[raw](first, nil, opts)
	if err != nil {
		require.NotErrorIs(t, err, lroerrors.ErrBadToken, first)
		require.ErrorIs(t, err, lroerrors.ErrForeignOrigin, first) // the token contains a foreign URL from the hostileService
		return
	}
	require.Equal(t, p.Done(), again.Done())
	if size < 8<<10 { // parts of a larger token may have been omitted
		require.Equal(t, statusText(t, p), statusText(t, again))
	}
	second, err := again.ResumeToken()
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// requireKept fails the test unless p's token has the same members as the token from which p was
// resumed. It ignores members that may change, such as the status.
func requireKept(t *testing.T, text string, p *poller.Poller[raw]) {
	t.Helper()
	before, _ := membersOf([]byte(text))
	token, err := p.ResumeToken()
	if version, _ := before.find("lro"); version != json.Number("1") || before.has("first") || err != nil {
		return
	}
	after, _ := membersOf([]byte(token))
	for _, name := range []string{"phase", "method", "target", "poll", "else", "inline", "memo", "created", "finalStateVia", "resultPointer"} {
		want, _ := before.find(name)
		if got, _ := after.find(name); want != nil && want != "" && want != false {
			require.Equal(t, want, got, name)
		}
	}
}

// statusText returns the part of p's status that a token contains, as JSON.
func statusText(t *testing.T, p *poller.Poller[raw]) string {
	t.Helper()
	s := p.Status()
	if !s.State.Terminal() && !s.Unconfirmed {
		s = poller.Status{State: s.State, Word: s.Word, PercentComplete: s.PercentComplete, Name: s.Name, NextPoll: s.NextPoll}
	}
	s.ReadErr = nil
	s.NextPoll = s.NextPoll.UTC()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}
