package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

func TestHostileTokens(t *testing.T) {
	good := `{"lro":1,"phase":"polling","method":"PUT","target":"https://management.example.test/w","poll":"https://management.example.test/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}}`
	_, err := poller.Resume[raw](good, nil, trusted)
	require.NoError(t, err)
	_, err = poller.Resume[raw](strings.Replace(good, "PUT", strings.Repeat("X", 20), 1), nil, trusted)
	require.NoError(t, err, "a long method must be valid, because a service may define its own methods")

	_, err = poller.Resume[raw](strings.Replace(good, `,"status"`, `,"resultPointer":"`+strings.Repeat("/0", 100)+`","status"`, 1), nil, trusted)
	require.NoError(t, err)
	_, err = poller.Resume[raw](strings.Repeat(" ", 64<<10-len(good))+good, nil, trusted)
	require.NoError(t, err, "a token of 64 KiB must be valid")

	bad := []string{
		"", " ", "null", "{}", "[]", "0", `""`, "{", "\x00", "bm90IGEgdG9rZW4=", strings.Repeat("[", 60000), `{"lro":1}`,
		`{"type":"x","token":null}`, `{"type":"x","token":{}}`, `{"token":{"asyncURL":5}}`, `{"token":{"asyncURL":"relative"}}`,
		`{"lro":1,"status":{"state":"InProgress"}}`, `{"lro":1,"phase":"polling","status":{"state":"InProgress"}}`,
		strings.Repeat(" ", 64<<10-len(good)+1) + good,
	}
	for from, to := range map[string]string{
		`"lro":1`:             `"lro":0`,
		`"PUT"`:               `"PUT /x HTTP/1.1\r\nHost: evil"`,
		`PUT`:                 strings.Repeat("X", 21),
		`"InProgress"`:        `"Bogus"`,
		`"poll":"https`:       `"poll":"//`,
		`"poll":`:             `"url":`,
		`"polling"`:           `"Polling"`,
		`"phase":"polling",`:  ``,
		`"memo":`:             `"header":{"Authorization":["x"]},"memo":`,
		`"memo":{`:            `"header":{"Accept-Language":["a\r\nb"]},"memo":{`,
		`"status":{`:          `"failures":{"count":-1},"status":{`,
		`"status":{"state":"`: `"result":"none","status":{"state":"`,
		`"target":"https`:     `"target":"/relative","x":"https`,
		`,"status"`:           `,"resultPointer":"x","status"`,
	} {
		require.Contains(t, good, from)
		bad = append(bad, strings.Replace(good, from, to, 1))
	}
	bad = append(bad, strings.Replace(good, `,"status"`, `,"resultPointer":"`+strings.Repeat("/0", 101)+`","status"`, 1))
	for _, failures := range []string{
		`{"count":-1}`, `{"count":1,"notFound":-1}`, `{"other":-1}`, `{"count":1,"spent":"-1s"}`, `{"spent":"1s","missing":"2s"}`, `{"missing":"-1s"}`,
		`{"spent":5}`, `{"count":"1"}`, `[]`,
	} {
		bad = append(bad, strings.Replace(good, `,"status"`, `,"failures":`+failures+`,"status"`, 1))
	}
	for _, header := range []string{`{"accept-language":["de"]}`, `{"Accept-Language":["de","fr"]}`, `{"Accept-Language":[]}`, `{"Accept-Language":"de"}`} {
		bad = append(bad, strings.Replace(good, `"memo":`, `"header":`+header+`,"memo":`, 1))
	}
	for _, token := range bad {
		_, err := poller.Resume[raw](token, nil, trusted)
		require.ErrorIs(t, err, lroerrors.ErrBadToken, token[:min(len(token), 200)])
	}
}

// Resume rejects a token whose phase contradicts its other members.
func TestTokenWithInconsistentPhase(t *testing.T) {
	const at = `"https://management.example.test/w"`
	for phase, tests := range map[string]struct{ good, bad []string }{
		"unfollowed": {
			good: []string{`"target":` + at + `,"status":{"state":"InProgress"},"first":{"code":200,"body":"e30="}`},
			bad: []string{
				`"status":{"state":"InProgress"}`, `"status":{"state":"InProgress"},"first":{"code":500}`, `"status":{"state":"InProgress"},"first":{"code":206}`,
				`"status":{"state":"Succeeded"},"first":{"code":200}`, `"status":{"state":"InProgress"},"first":{"code":200,"url":"/w"}`,
				`"status":{"state":"InProgress"},"first":{"code":200,"body":"%"}`,
			},
		},
		"polling": {
			good: []string{`"poll":` + at, `"poll":` + at + `,"status":null`, `"poll":` + at + `,"status":{"state":"InProgress"}`},
			bad:  []string{`"poll":` + at + `,"status":{"state":"Succeeded"}`, `"poll":` + at + `,"status":{"state":"Failed"}`, `"target":` + at, `"poll":` + at + `,"status":{}`},
		},
		"reading": {
			good: []string{`"target":` + at + `,"status":{"state":"Succeeded"},"result":{"url":` + at + `}`},
			bad: []string{
				`"status":{"state":"Succeeded"}`, `"status":{"state":"Succeeded"},"result":{}`, `"status":{"state":"Succeeded"},"result":{"body":"1"}`,
				`"status":{"state":"Failed"},"result":{"url":` + at + `}`, `"status":{"state":"InProgress"},"result":{"url":` + at + `}`, `"result":{"url":` + at + `}`,
			},
		},
		"ended": {
			good: []string{
				`"status":{"state":"Succeeded"}`, `"status":{"state":"Succeeded"},"result":{"body":"1"}`, `"status":{"state":"Succeeded"},"result":{"error":"none"}`,
				`"status":{"state":"Failed"}`, `"status":{"state":"Canceled"}`,
			},
			bad: []string{`"status":{"state":"InProgress"}`, `"x":1`, `"status":{"state":"Succeeded"},"result":{"url":` + at + `}`, `"status":{"state":"Succeeded"},"result":{"body":["%"]}`, `"status":{"state":"Succeeded"},"result":{"body":7}`},
		},
	} {
		for _, rest := range tests.good {
			_, err := poller.Resume[struct{}](`{"lro":1,"phase":"`+phase+`","method":"PUT",`+rest+`}`, nil, trusted)
			require.NoError(t, err, phase+": "+rest)
		}
		for _, rest := range tests.bad {
			_, err := poller.Resume[struct{}](`{"lro":1,"phase":"`+phase+`","method":"PUT",`+rest+`}`, nil, trusted)
			require.ErrorIs(t, err, lroerrors.ErrBadToken, phase+": "+rest)
		}
	}
}

// The poller ignores a cancel request in a forged token, and ResumeToken never writes one into a
// token.
func TestForgedTokenCannotCancel(t *testing.T) {
	s := serve(map[string][]reply{"DELETE /any": {"204"}})
	token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"cancel":{"Method":"DELETE","URL":"/any"},"status":{"state":"InProgress"}}`, origin, origin)
	p := resume(t, token, s)
	err := p.Cancel(t.Context())
	require.IsType(t, &lroerrors.StatusError{}, err)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Empty(t, s.requests())
	require.NotContains(t, tokenOf(t, p), "cancel")
}

// memoCancels is a strategy whose Cancel method takes the request's method and URL from the memo.
type memoCancels struct{ step }

func (memoCancels) Cancel(a strategy.Answer) (*poller.Request, error) {
	var r struct{ Method, URL string }
	err := json.Unmarshal(a.Memo, &r)
	return &poller.Request{Method: r.Method, URL: r.URL}, err
}

// If a strategy takes its cancel request from the memo of a forged token, the poller still sends
// only a valid request to an allowed origin.
func TestForgedMemoCannotForgeCancel(t *testing.T) {
	cancel := func(t *testing.T, memo string, s *service) error {
		token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","memo":%s,"status":{"state":"InProgress"}}`, origin, origin, memo)
		p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin}, Strategy: memoCancels{}})
		require.NoError(t, err)
		return p.Cancel(t.Context())
	}
	for _, memo := range []string{
		`{"Method":"DELETE /x HTTP/1.1\r\nHost: evil.test\r\nX: ","URL":"/w"}`,
		`{"Method":"DELETE\n","URL":"/w"}`,
		`{"Method":"DELETE","URL":"/w\r\nX: y"}`,
		`{"Method":"DELETE","URL":"//evil.test/w"}`,
		`{"Method":"DELETE","URL":"https://management.example.test@evil.test/w"}`,
		`7`,
	} {
		s := serve(map[string][]reply{"DELETE /w": {"204"}})
		require.IsType(t, &lroerrors.StatusError{}, cancel(t, memo, s), memo)
		require.Empty(t, s.requests())
	}
	s := serve(map[string][]reply{"DELETE /any": {"204"}})
	require.NoError(t, cancel(t, `{"Method":"DELETE","URL":"/any"}`, s))
	require.Equal(t, []string{"DELETE /any"}, s.requests())
}

func TestTokenCannotPostponeNextRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for failures, bound := range map[string]time.Duration{
			"": 10 * time.Minute, `"failures":{"count":1},`: 24 * time.Hour, `"held":true,`: 24 * time.Hour, `"asked":true,`: 10 * time.Minute,
		} {
			token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},%s"pause":"999999h","nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z","status":{"state":"InProgress"}}`, origin, origin, failures)
			p, err := poller.Resume[raw](token, nil, trusted)
			require.NoError(t, err)
			require.Equal(t, time.Now().Add(bound), p.NextPoll())
		}
	})
}

func TestTokenFailureCountOverflow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/w"): {"503"}})
		token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"failures":{"count":9223372036854775807,"other":9223372036854775807},"status":{"state":"InProgress"}}`, origin, origin)
		_, err := resume(t, token, s).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonPatience)
		require.Equal(t, 30*time.Minute, time.Since(s.began))
		require.Len(t, s.requests(), 4, "the pause must be the longest one, without an overflow")
	})
}

func TestUnfollowableTokenFromFuture(t *testing.T) {
	bubble(t, func(t *testing.T) {
		token := fmt.Sprintf(`{"lro":1,"phase":"unfollowed","method":"POST","target":"%s/w","status":{"state":"InProgress"},"lastRead":"9999-01-01T00:00:00Z","first":{"url":"%s/w","code":202,"header":{"Location":["/op"]}}}`, origin, origin)
		p, err := poller.Resume[raw](token, nil, trusted)
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Until(p.NextPoll()))
	})
}

func TestTokenFromFutureAndShortWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/w"): {widget}})
		token := fmt.Sprintf(`{"lro":1,"phase":"polling","method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"pause":"1h","nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z","status":{"state":"InProgress"}}`, origin, origin)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err := resume(t, token, s).PollUntilDone(ctx)
		require.NoError(t, err)
		require.Equal(t, 27*time.Second, time.Since(s.began))
	})
}

func TestTokenWithoutTarget(t *testing.T) {
	token := `{"lro":1,"phase":"ended","poll":"https://evil.test/op","memo":{"strategy":"location"},"status":{"state":"Succeeded"},"result":{"body":"1"}}`
	_, err := poller.Resume[raw](token, nil, trusted)
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
}
