package poller_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// A token omits the headers or the body of the first response if they are too large for it. The
// operation can still be resumed.
func TestTokenOmitsUnneededParts(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for name, answer := range map[string]string{
		"a long header":  "202\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000) + "\nX-Junk: " + long,
		"a long body":    "202 {\"junk\":\"" + long + "\"}\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000),
		"both, and more": "202 {\"junk\":\"" + long + "\"}\nLocation: https://b.test/op?sig=" + strings.Repeat("s", 2000) + "\nX-Junk: " + long + "\nX-More: " + long,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {answer},
					get("/op"):         {"202", "200 {}"},
				})
				_, err := poller.Begin[raw](newRequest(t, "POST", resource), s.client(), nil)
				require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
				wait, ok := errors.AsType[*lroerrors.WaitError](err)
				require.True(t, ok)
				token, err := wait.ResumeToken()
				require.NoError(t, err)
				require.Less(t, len(token), 64<<10)
				p, err := poller.Resume[raw](token, s.client(), &poller.Options{Origins: []string{origin, "https://b.test"}})
				require.NoError(t, err)
				_, err = p.PollUntilDone(t.Context())
				require.NoError(t, err)
			})
		})
	}
}

// A token that omits parts of the first response still says whether the body was empty. After
// Resume, an empty 204 ends the operation, and an empty 201 makes the poller read the resource.
func TestTrimmedTokenKeepsMeaning(t *testing.T) {
	refuse := step(func(strategy.Answer) (strategy.Move, error) { return strategy.Move{}, strategy.ErrNotApplicable })
	head := "\nX-Junk: " + strings.Repeat("x", 64<<10) + "\nX-Kept: " + strings.Repeat("k", 1000) + "\nX-Left-Out: " + strings.Repeat("l", 1001)
	for _, method := range []string{"PUT", "POST"} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"PUT " + resource: {"201" + head}, get(resource): {widget}, "POST " + resource: {"204" + head}})
			_, err := poller.Begin[raw](newRequest(t, method, resource), s.client(), &poller.Options{Strategy: refuse})
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			require.Contains(t, token, "X-Kept")
			require.NotContains(t, token, "X-Left-Out")
			p := resume(t, token, s)
			require.Equal(t, method == "POST", p.Done(), "a 204 must end the operation, but a 201 must lead to the resource")
			_, err = p.PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	}
}

// The error for an oversized token names the part that is too large.
func TestTokenTooLarge(t *testing.T) {
	text := strings.Repeat("x", 70<<10)
	for name, row := range map[string]struct {
		move strategy.Move
		want string
	}{
		"a result":        {strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Body: raw(`"` + text + `"`)}}, "the result has 71682 bytes; store it instead of the token"},
		"one of no UTF-8": {strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Body: raw(`"` + text + "\xff\"")}}, "the result has 71683 bytes; store it instead of the token"},
		"a memo":          {strategy.Move{Poll: monitor, Memo: raw(`"` + text + `"`)}, "the memo of the strategy has 71682 bytes"},
		"a URL":           {strategy.Move{Poll: monitor + "?" + text}, "its URLs or the error of the service are too long"},
	} {
		s := serve(map[string][]reply{"POST " + resource: {"202"}})
		p := begin(t, s, "POST", &poller.Options{Strategy: step(func(strategy.Answer) (strategy.Move, error) { return row.move, nil })})
		_, err := p.ResumeToken()
		require.ErrorContains(t, err, row.want, name)
	}
}

// ResumeToken returns an error if a result that came with the status is too large for a token. The
// status URL alone would not be enough, because the service may delete the status before the token
// is used.
func TestTokenKeepsLargeKnownResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {`200 "` + strings.Repeat("x", 70<<10) + `"`}})
		p := begin(t, s, "POST", nil)
		drain(t, p)
		_, err := p.ResumeToken()
		require.ErrorContains(t, err, "the result has 71682 bytes")
	})
}

// A token of exactly 64 KiB omits nothing. A token that would be one byte longer omits the status
// word.
func TestTokenOfMaximumSize(t *testing.T) {
	sized := func(memo int) (string, error) {
		strategy := step(func(strategy.Answer) (strategy.Move, error) {
			return strategy.Move{Poll: monitor, Memo: raw(`"` + strings.Repeat("m", memo) + `"`), Status: poller.Status{Word: "Kept"}}, nil
		})
		return begin(t, serve(map[string][]reply{"POST " + resource: {"202"}}), "POST", &poller.Options{Strategy: strategy}).ResumeToken()
	}
	bubble(t, func(t *testing.T) { // all tokens have the same times, so only the memo changes their size
		small, err := sized(0)
		require.NoError(t, err)
		token, err := sized(64<<10 - len(small))
		require.NoError(t, err)
		require.Len(t, token, 64<<10)
		require.Contains(t, token, "Kept", "the token must not omit anything")
		token, err = sized(64<<10 - len(small) + 1)
		require.NoError(t, err)
		require.NotContains(t, token, "Kept")
	})
}
