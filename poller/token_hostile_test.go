package poller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestAHostileTokenIsABadToken(t *testing.T) {
	good := `{"lro":1,"method":"PUT","target":"https://management.example.test/w","poll":"https://management.example.test/w","memo":{"strategy":"provisioning-state"},"status":{"state":"InProgress"}}`
	_, err := poller.Resume[raw](good, nil, trusted)
	require.NoError(t, err)
	_, err = poller.Resume[raw](strings.Replace(good, "PUT", strings.Repeat("X", 20), 1), nil, trusted)
	require.NoError(t, err, "an extension of HTTP may have a long name")

	_, err = poller.Resume[raw](strings.Replace(good, `,"status"`, `,"resultPointer":"`+strings.Repeat("/0", 100)+`","status"`, 1), nil, trusted)
	require.NoError(t, err)
	_, err = poller.Resume[raw](strings.Repeat(" ", 64<<10-len(good))+good, nil, trusted)
	require.NoError(t, err, "64 KiB")

	bad := []string{
		"", " ", "null", "{}", "[]", "0", `""`, "{", "\x00", "bm90IGEgdG9rZW4=", strings.Repeat("[", 60000), `{"lro":1}`,
		`{"type":"x","token":null}`, `{"type":"x","token":{}}`, `{"token":{"asyncURL":5}}`, `{"token":{"asyncURL":"relative"}}`,
		`{"lro":1,"status":{"state":"InProgress"}}`,
		strings.Repeat(" ", 64<<10-len(good)+1) + good,
	}
	for from, to := range map[string]string{
		`"lro":1`:             `"lro":2`,
		`"PUT"`:               `"PUT /x HTTP/1.1\r\nHost: evil"`,
		`PUT`:                 strings.Repeat("X", 21),
		`"InProgress"`:        `"Bogus"`,
		`"poll":"https`:       `"poll":"//`,
		`"memo":`:             `"header":{"authorization":"x"},"memo":`,
		`"memo":{`:            `"header":{"accept-language":"a\r\nb"},"memo":{`,
		`"status":{`:          `"failures":{"count":-1},"status":{`,
		`"status":{"state":"`: `"result":"none","status":{"state":"`,
		`"target":"https`:     `"target":"/relative","x":"https`,
		`,"status"`:           `,"resultPointer":"x","status"`,
		`"memo":{"s`:          `"first":{"code":500},"memo":{"s`,
	} {
		require.Contains(t, good, from)
		bad = append(bad, strings.Replace(good, from, to, 1))
	}
	bad = append(bad, strings.Replace(good, `,"status"`, `,"resultPointer":"`+strings.Repeat("/0", 101)+`","status"`, 1))
	for _, failures := range []string{`{"count":0}`, `{"count":1,"notFound":-1}`, `{"count":1,"notFound":2}`} {
		bad = append(bad, strings.Replace(good, `,"status"`, `,"failures":`+failures+`,"status"`, 1))
	}
	for _, token := range bad {
		_, err := poller.Resume[raw](token, nil, trusted)
		require.ErrorIs(t, err, lroerrors.ErrBadToken, token[:min(len(token), 200)])
	}
}

// A token chooses the request that cancels, within the origins and as one request.
func TestTheCancelOfAForgedToken(t *testing.T) {
	forged := func(cancel string) string {
		return fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"cancel":%s,"status":{"state":"InProgress"}}`, origin, origin, cancel)
	}
	for _, cancel := range []string{
		`{"Method":"DELETE /x HTTP/1.1\r\nHost: evil.test\r\nX: ","URL":"/w"}`,
		`{"Method":"DELETE\n","URL":"/w"}`,
		`{"Method":"DELETE","URL":"/w\r\nX: y"}`,
		`{"Method":"DELETE","URL":"//evil.test/w"}`,
		`{"Method":"DELETE","URL":"https://management.example.test@evil.test/w"}`,
	} {
		s := serve(map[string][]reply{"DELETE /w": {"204"}})
		require.IsType(t, &lroerrors.StatusError{}, resume(t, forged(cancel), s).Cancel(t.Context()), cancel)
		require.Empty(t, s.requests())
	}
	s := serve(map[string][]reply{"DELETE /any": {"204"}})
	require.NoError(t, resume(t, forged(`{"Method":"DELETE","URL":"/any"}`), s).Cancel(t.Context()))
	require.Equal(t, []string{"DELETE /any"}, s.requests())
}

func TestATokenCannotPutOffTheNextRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for failures, bound := range map[string]time.Duration{
			"": 10 * time.Minute, `"failures":{"count":1,"since":"2999-01-01T00:00:00Z"},`: 24 * time.Hour,
		} {
			token := fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},%s"nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z","status":{"state":"InProgress"}}`, origin, origin, failures)
			p, err := poller.Resume[raw](token, nil, trusted)
			require.NoError(t, err)
			require.Equal(t, time.Now().Add(bound), p.NextPoll())
		}
	})
}

func TestATokenOfCountlessFailuresIsNoHotLoop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/w"): {"503"}})
		token := fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"failures":{"count":9223372036854775807,"since":"2000-01-01T00:00:00Z"},"status":{"state":"InProgress"}}`, origin, origin)
		_, err := resume(t, token, s).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.Patience)
		require.Equal(t, 30*time.Minute, time.Since(s.began))
		require.Len(t, s.requests(), 4, "at the longest pause")
	})
}

func TestAnUnfollowableTokenOfTheFutureIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		token := fmt.Sprintf(`{"lro":1,"method":"POST","target":"%s/w","status":{"state":"InProgress"},"lastRead":"9999-01-01T00:00:00Z","first":{"url":"%s/w","code":202,"header":{"Location":["/op"]}}}`, origin, origin)
		p, err := poller.Resume[raw](token, nil, trusted)
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Until(p.NextPoll()))
	})
}

func TestATokenOfTheFutureDoesNotHoldUpAShortWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get("/w"): {widget}})
		token := fmt.Sprintf(`{"lro":1,"method":"PUT","target":"%s/w","poll":"%s/w","memo":{"strategy":"provisioning-state"},"nextPoll":"2999-01-01T00:00:00Z","lastRead":"2999-01-01T00:00:00Z","status":{"state":"InProgress"}}`, origin, origin)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err := resume(t, token, s).PollUntilDone(ctx)
		require.NoError(t, err)
		require.Equal(t, 27*time.Second, time.Since(s.began))
	})
}

func TestATokenWithoutATargetIsVettedByWhereItPolls(t *testing.T) {
	token := `{"lro":1,"poll":"https://evil.test/op","memo":{"strategy":"location"},"status":{"state":"Succeeded"},"result":{"body":"1"}}`
	_, err := poller.Resume[raw](token, nil, trusted)
	require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
}
