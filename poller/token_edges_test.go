package poller_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A failingResult cannot be decoded. UnmarshalJSON first yields to other goroutines, so that they
// can see that the result has been read before its decoding fails.
type failingResult struct{}

func (*failingResult) UnmarshalJSON([]byte) error {
	for range 100 {
		runtime.Gosched()
	}
	return errors.New("failingResult")
}

type emptyBody struct{}

func (emptyBody) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return strategy.Move{Poll: monitor}, nil
	}
	return strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{URL: resource, Body: raw{}}}, nil
}

type doerFunc func(*http.Request) (*http.Response, error)

func (d doerFunc) Do(r *http.Request) (*http.Response, error) { return d(r) }

func TestConcurrentUndecodableResults(t *testing.T) {
	for range 50 {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
			p, err := poller.Begin[failingResult](newRequest(t, "PUT", resource), clientOf(slowly(s, time.Second)), nil)
			require.NoError(t, err)
			_, err = p.Poll(t.Context())
			require.NoError(t, err)
			errs := make(chan error, 8)
			for range cap(errs) {
				go func() { _, err := p.Result(t.Context()); errs <- err }()
			}
			for range cap(errs) {
				require.Error(t, <-errs)
			}
		})
	}
}

func TestTokenCannotDelayResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get(resource): {widget}})
		far := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		tok := fmt.Sprintf(`{"lro":1,"phase":"reading","method":"PUT","target":"%s%s","status":{"state":"Succeeded"},"result":{"url":"%s%s"},"held":true,"pause":"1h","nextPoll":"%s"}`, origin, resource, origin, resource, far)
		p, err := poller.Resume[raw](tok, s.client(), trusted)
		require.NoError(t, err)
		v, err := p.Result(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, v)
	})
}

func TestTokenInProgressHasNoResult(t *testing.T) {
	tok := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%[1]s/w","poll":"%[1]s/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"},"result":{"url":"%[1]s/w"}}`, origin)
	p, err := poller.Resume[raw](tok, nil, trusted)
	require.NoError(t, err)
	again, err := p.ResumeToken()
	require.NoError(t, err)
	_, err = poller.Resume[raw](again, nil, trusted)
	require.NoError(t, err)
}

func TestTokenMasksInnerErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","error":{"code":"X","message":"m","innererror":{"u":"https://h/x?sig=SECRET"},"additionalInfo":[{"type":"t","info":{"password":"p","u":"https://h/x?sig=SECRET2"}}]}}`}})
		p := begin(t, s, "PUT", nil)
		_, err := p.PollUntilDone(t.Context())
		require.Error(t, err)
		tok, _ := p.ResumeToken()
		require.NotContains(t, tok, "SECRET")
	})
}

func TestEmptyResultBodyWithURLIsRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {"200"}, get(resource): {widget}})
		p := begin(t, s, "POST", &poller.Options{Strategy: emptyBody{}})
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, v)
	})
}

func TestPanicKeepsNotification(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running}})
		boom := false
		h := doerFunc(func(r *http.Request) (*http.Response, error) {
			if boom {
				panic("x")
			}
			return s.client().Do(r)
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), h, nil)
		require.NoError(t, err)
		p.WakeUp()
		boom = true
		func() { defer func() { _ = recover() }(); _, _ = p.Poll(t.Context()) }()
		require.False(t, p.NextPoll().After(time.Now()))
	})
}

func TestStatusIsCopy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {`200 {"status":"Running","percentComplete":5,"operations":[{"name":"a","status":"Running"}],"error":{"code":"c","message":"m"}}`}})
		p := begin(t, s, "PUT", nil)
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		*st.PercentComplete = 99
		st.Operations[0].Name = "evil"
		st.Detail.Code = "evil"
		tok, _ := p.ResumeToken()
		require.NotContains(t, tok, "evil")
		require.NotContains(t, tok, "99")
	})
}

// TestContradictoryTokens tries tokens with many combinations of members, some of them
// contradictory. The poller must not panic, and its next tokens must be valid. If Result returns no
// error, NextPoll must be zero.
func TestContradictoryTokens(t *testing.T) {
	t.Parallel()
	members := []string{
		``, `,"held":true`, `,"now":3`, `,"failures":{}`, `,"failures":{"count":99,"spent":"1000h","notFound":50,"other":3}`, `,"failures":{"lost":"Gone"}`,
		`,"result":{}`, `,"result":{"url":"` + origin + `/w"}`, `,"result":{"body":"{}"}`, `,"result":{"body":null,"error":"x"}`, `,"result":{"url":"::","body":"{"}`, `,"result":{"url":"` + origin + `/w","body":"7"}`,
		`,"else":"` + origin + `/e"`, `,"monitor":"` + origin + `/m"`, `,"inline":true`,
		`,"memo":null`, `,"memo":7`, `,"memo":{"confirm":{},"inner":{"strategy":"location"}}`, `,"memo":{"crossCheck":{"lost":true,"status":"::"},"inner":{"strategy":"location"}}`,
		`,"memo":{"crossCheck":{"status":"` + origin + `/w"}}`, `,"memo":{"strategy":"location","location":"::"}`,
		`,"memo":{"strategy":"azure-async-operation"}`, `,"memo":{"confirm":{"url":"` + origin + `/w","count":-9},"inner":null}`,
		`,"pause":"800000h","nextPoll":"9998-01-01T00:00:00Z"`, `,"began":"9998-01-01T00:00:00Z","lastRead":"9998-01-01T00:00:00Z"`, `,"retryAfter":"0s"`, `,"retryAfter":"9999h"`,
		`,"created":true`, `,"first":{"code":202,"header":{"Location":["/x"]}}`, `,"first":{"url":"` + origin + `/w","code":200,"body":"e30="}`, `,"first":{"url":"` + origin + `/w","code":204,"broken":true}`,
		`,"asked":true`, `,"words":{"running":"Bogus","":"Succeeded"}`, `,"resultPointer":"/a/0"`,
	}
	heads := []string{}
	for _, ph := range []string{"unfollowed", "polling", "reading", "ended"} {
		for _, st := range []string{"InProgress", "Succeeded", "Failed", "Canceled"} {
			for _, method := range []string{"", "PUT", "POST", "DELETE"} {
				for _, urls := range []string{"", `"target":"` + origin + `/w",`, `"poll":"` + origin + `/w",`, `"target":"` + origin + `/w","poll":"` + origin + `/p",`} {
					heads = append(heads, fmt.Sprintf(`{"lro":1,"phase":%q,"method":%q,%s"status":{"state":%q,"operations":[{}],"error":{}}`, ph, method, urls, st))
				}
			}
		}
	}
	answers := [][]reply{{running}, {succeeded}, {widget}, {"404"}, {"204"}, {"200 7"}, {"202"}, {"410"}}
	strategies := []poller.Strategy{nil, poller.Confirm(nil, poller.Check{Times: 2}), poller.CrossCheck(nil, poller.Check{After: 1})}
	bubble(t, func(t *testing.T) {
		n := 0
		for hi, head := range heads {
			for i, a := range members {
				for j, b := range members {
					if j <= i && j != 0 || (i+j+hi)%97 != 0 {
						continue
					}
					tok := head + a + b + "}"
					n++
					ans := answers[n%len(answers)]
					s := serve(map[string][]reply{get("/w"): ans, get("/p"): ans, get("/e"): ans, get("/m"): ans})
					opts := &poller.Options{
						Origins: []string{origin}, Strategy: strategies[n%3], Patience: poller.Patience{Time: time.Minute, Failures: 2},
						CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/c"}, nil },
					}
					if n%2 == 0 {
						opts.CancelRequest = nil
					}
					useToken(t, s, tok, opts)
				}
			}
		}
	})
}

// useToken resumes a poller from a token and calls most of the poller's methods.
func useToken(t *testing.T, s *service, token string, opts *poller.Options) {
	p, err := poller.Resume[raw](token, s.client(), opts)
	if err != nil {
		return
	}
	resumable := func() {
		next, err := p.ResumeToken()
		require.NoError(t, err, token)
		if _, err = poller.Resume[raw](next, s.client(), opts); err != nil {
			require.NotErrorIs(t, err, lroerrors.ErrBadToken, "%s\n%s", token, next)
		}
	}
	resumable()
	_ = p.String() + p.URL() + p.ResultURL()
	_ = p.Cancel(t.Context())
	if _, err := p.Result(t.Context()); err == nil {
		require.True(t, p.NextPoll().IsZero(), token)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Hour)
	defer cancel()
	_, _ = p.Poll(ctx)
	_, _ = p.PollUntilDone(ctx)
	require.LessOrEqual(t, len(s.requests()), 8000, token)
	resumable()
}

func TestTokenOfFailureWithHugeError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		huge := strings.Repeat("x", 100_000)
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","error":{"code":"X","message":"m","innererror":{"trace":"` + huge + `"}}}`}})
		p := begin(t, s, "PUT", nil)
		_, err := p.PollUntilDone(t.Context())
		require.ErrorContains(t, err, "X: m")
		token, err := p.ResumeToken()
		require.NoError(t, err)
		again, err := poller.Resume[raw](token, s.client(), trusted)
		require.NoError(t, err)
		_, err = again.Result(t.Context())
		require.ErrorContains(t, err, "X: m")
	})
}
