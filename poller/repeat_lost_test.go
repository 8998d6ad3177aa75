package poller_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// stalled answers each PUT but the first with its headers, and no more.
func stalled(s *service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := len(s.requests()) == 0
		s.ServeHTTP(w, r)
		if r.Method == http.MethodPut && !first {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
	})
}

// An operation is begun by the headers that accept it. That the context ends before
// the body has come is no reason to begin another.
func TestWhatWasAcceptedAgainIsFollowedThoughTheContextEnds(t *testing.T) {
	for name, answer := range map[string]reply{
		"a status": "202 {}\nAzure-AsyncOperation: /operations/op2", "the resource": `201 {"properties":{"provisioningState":"Creating"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				script := failingPut(tryAgain)
				script["PUT "+resource] = []reply{accepted, answer}
				s := serve(script)
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(stalled(s)), repeating(poller.Repeat{}))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				_, err = p.PollUntilDone(ctx)
				requireWait(t, err, lroerrors.Deadline)
				v, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				require.JSONEq(t, widget[4:], string(v))
				require.Equal(t, 2, count(s.requests(), "PUT "+resource))
			})
		})
	}
}

// A caller with little time asks often; the pause is between two requests all the same.
func TestThePauseHoldsAfterAnAnswerThatWasNotWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		silent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			first := len(s.requests()) == 0
			s.ServeHTTP(w, r)
			if r.Method == http.MethodPut && !first {
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			}
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(silent), repeating(poller.Repeat{Times: 2}))
		require.NoError(t, err)
		for !p.Done() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			_, _ = p.Poll(ctx)
			cancel()
			time.Sleep(time.Second)
		}
		require.Equal(t, []time.Duration{0, 0, 30 * time.Second, time.Minute}, s.times()[:4])
		require.Len(t, s.requests(), 4)
	})
}

// A body that is cut tells as much as none. The resource of a PUT or PATCH tells the
// rest, and nothing that of a POST.
func TestWhatIsBegunAgainWithABodyThatIsCut(t *testing.T) {
	for method, follows := range map[string]bool{"PUT": true, "PATCH": true, "POST": false} {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{
				method + " " + resource: {accepted, "200 {\nContent-Length: 100"}, get(monitor): {tryAgain}, get(resource): {widget},
			})
			_, err := begin(t, s, method, repeating(poller.Repeat{})).PollUntilDone(t.Context())
			if follows {
				require.NoError(t, err, method)
				return
			}
			requireWait(t, err, lroerrors.Unfollowable)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		})
	}
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// Reads in a group never sleep, which is a failed read more. The request that is sent
// again would be refused by it.
func TestARequestInAGroupIsTriedAsBeginTriesIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := failingPut(tryAgain)
		script["PUT "+resource] = []reply{accepted, "503", "503", "201\nAzure-AsyncOperation: /operations/op2"}
		s := serve(script)
		client := &http.Client{Transport: transport.New(&transport.Options{Base: s.client().Transport})}
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), client, repeating(poller.Repeat{}))
		require.NoError(t, err)
		g := poller.NewGroup(nil)
		g.Add(p)
		g.Close()
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		require.Equal(t, 4, count(s.requests(), "PUT "+resource))
	})
}

func TestWhatCannotBeFollowedAnewIsDue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted, "202\nAzure-AsyncOperation: https://evil.test/op"}, get(monitor): {tryAgain}})
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		_, err := p.PollUntilDone(t.Context())
		require.Equal(t, time.Now(), waitOf(t, err, lroerrors.Unfollowable).NextPoll)
		require.Equal(t, time.Now(), p.NextPoll(), "zero would say that it has ended")
	})
}

// What the answer names is relative to the URL that gave it, as after Begin.
func TestWhatIsBegunAgainBehindARedirect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := failingPut(tryAgain)
		script["PUT "+resource] = []reply{accepted, "307\nLocation: /moved/w1"}
		script["PUT /moved/w1"] = []reply{"202\nAzure-AsyncOperation: op2"}
		script[get("/moved/op2")] = []reply{succeeded}
		s := serve(script)
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Contains(t, s.requests(), get("/moved/op2"))
	})
}

func TestWhoAskedForThePauseOfARepeatIsTold(t *testing.T) {
	for _, retryAfter := range []string{"", "\nRetry-After: 30", "\nRetry-After: 90"} { // 30 is Every's own
		bubble(t, func(t *testing.T) {
			p := begin(t, serve(failingPut(tryAgain+retryAfter)), "PUT", repeating(poller.Repeat{}))
			ctx, cancel := context.WithTimeout(t.Context(), 61*time.Second)
			defer cancel()
			_, err := p.PollUntilDone(ctx)
			require.Equal(t, strings.HasSuffix(retryAfter, "90"), waitOf(t, err, lroerrors.Deadline).Asked)
		})
	}
}
