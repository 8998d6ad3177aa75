package poller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

const tryAgain = `200 {"id":"op1","status":"Failed","error":{"code":"RetryableError","message":"try again"}}`

// failingPut is a PUT whose operation fails so at first.
func failingPut(polls ...reply) map[string][]reply {
	return map[string][]reply{
		"PUT " + resource: {accepted, "201\nAzure-AsyncOperation: /operations/op2"},
		get(monitor):      polls, get("/operations/op2"): {succeeded}, get(resource): {widget},
	}
}

func TestAnOperationThatFailedIsBegunAgain(t *testing.T) { // quirk W23
	bubble(t, func(t *testing.T) {
		var sent []string
		s := serve(failingPut(tryAgain))
		req := newRequest(t, "PUT", resource)
		req.Header.Set("X-Mine", "kept")
		p, err := poller.Begin[raw](req, clientOf(bodies(s, &sent)), repeating(poller.Repeat{}))
		require.NoError(t, err)
		req.URL.Path, req.Method = "/elsewhere", "POST" // what the caller does with it later is his affair
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, []string{
			"PUT " + resource, get(monitor), "PUT " + resource, get("/operations/op2"), get(resource),
		}, s.requests())
		require.Equal(t, []time.Duration{0, 60 * time.Second, 90 * time.Second, 150 * time.Second, 150 * time.Second}, s.times())
		require.Equal(t, []string{"{}", "{}"}, sent)
		require.Equal(t, "kept", s.headers()[2].Get("X-Mine"))
	})
}

// The caller may make a request of its parts, without a map for the headers.
func TestARequestMadeAnewHasTheHeadersOfTheOptions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		opts := repeating(poller.Repeat{Request: func() (*http.Request, error) {
			return &http.Request{Method: "PUT", URL: newRequest(t, "PUT", resource).URL}, nil
		}})
		opts.Header = http.Header{"X-Mine": {"kept"}}
		_, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "kept", s.headers()[2].Get("X-Mine"))
	})
}

func TestWhatIsToBeBegunAgainIsInProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain + "\nRetry-After: 90"))
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.InProgress, st.State)
		require.Equal(t, "Failed", st.Word)
		require.Equal(t, "RetryableError", st.Error.Code)
		require.Equal(t, time.Now().Add(90*time.Second), p.NextPoll())
		_, err = p.Result(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrNotDone)
		p.WakeUp()
		for range 3 {
			again, err := p.Poll(t.Context())
			require.NoError(t, err)
			require.Equal(t, st.Word, again.Word)
		}
		require.Len(t, s.requests(), 2, "nothing is sent before the pause is over")
		time.Sleep(90 * time.Second)
		st, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, poller.InProgress, st.State)
		require.Empty(t, st.Word)
		require.Nil(t, st.Error)
		require.Equal(t, 201, st.StatusCode)
		require.Len(t, s.requests(), 3)
	})
}

// The answer chooses the strategy anew.
func TestWhatIsBegunAgainIsFollowedAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted, `201 {"properties":{"provisioningState":"Creating"}}`},
			get(monitor):      {tryAgain}, get(resource): {"403", widget},
		})
		v, err := begin(t, s, "PUT", repeating(poller.Repeat{})).PollUntilDone(t.Context())
		require.NoError(t, err, "W31: it was just created")
		require.JSONEq(t, widget[4:], string(v))
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted, `200 {"properties":{"provisioningState":"Updating"}}`},
			get(monitor):      {tryAgain}, get(resource): {"403", widget},
		})
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{})).PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.Refused)
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted, "200 {}"}, get(monitor): {tryAgain}})
		v, err := begin(t, s, "PUT", repeating(poller.Repeat{})).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, "{}", string(v), "a result at once")
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted, "202\nAzure-AsyncOperation: https://evil.test/op"}, get(monitor): {tryAgain}})
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		for range 2 {
			_, err := p.PollUntilDone(t.Context())
			requireWait(t, err, lroerrors.Unfollowable)
			require.ErrorIs(t, err, lroerrors.ErrForeignOrigin)
		}
		require.Equal(t, []string{"PUT " + resource, get(monitor), "PUT " + resource}, s.requests())
		wide := &poller.Options{Origins: []string{origin, "https://evil.test"}}
		p, err := poller.Resume[raw](tokenOf(t, p), s.client(), wide)
		require.NoError(t, err, "its token goes on once the options are wider")
		require.Equal(t, poller.InProgress, p.Status().State)
	})
}

func TestRepeatsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {tryAgain}})
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{Times: 2, Every: time.Minute})).PollUntilDone(t.Context())
		requireFailed(t, err, "RetryableError")
		op := failureOf(t, err)
		require.NoError(t, op.Err, "the last one was begun")
		require.Len(t, s.requests(), 6)
		require.Equal(t, 5*time.Minute, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {busy, accepted, busy}, get(monitor): {tryAgain}})
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{Times: 3})).PollUntilDone(t.Context())
		requireFailed(t, err, "RetryableError")
		require.Len(t, s.requests(), 5, "those of Begin count")
	})
}

func TestAFailureThatIsNotRetryableCounts(t *testing.T) {
	const internal = `200 {"status":"Failed","error":{"code":"InternalServerError"}}`
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(internal))
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{})).PollUntilDone(t.Context())
		requireFailed(t, err, "InternalServerError")
		require.Len(t, s.requests(), 2)
	})
	bubble(t, func(t *testing.T) { // W21: the caller's to choose
		s := serve(failingPut(internal))
		when := func(err error) bool {
			op, ok := errors.AsType[*lroerrors.OperationError](err)
			return ok && op.Detail.Code == "InternalServerError"
		}
		_, err := begin(t, s, "PUT", repeating(poller.Repeat{When: when})).PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// A refusal to begin again does not hide why the operation failed.
func TestTheFirstFailureIsTheEnding(t *testing.T) {
	for name, tt := range map[string]struct {
		refusals []reply
		puts     int
		code     int
	}{
		"refused for good":  {[]reply{"400"}, 1, 400},
		"refused too often": {[]reply{busy}, 3, 409},
		"no answer":         {[]reply{"drop"}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				script := failingPut(tryAgain)
				script["PUT "+resource] = append([]reply{accepted}, tt.refusals...)
				s := serve(script)
				p := begin(t, s, "PUT", repeating(poller.Repeat{}))
				_, err := p.PollUntilDone(t.Context())
				requireFailed(t, err, "RetryableError")
				op := failureOf(t, err)
				refused, ok := errors.AsType[*lroerrors.StatusError](err)
				require.True(t, ok)
				require.Equal(t, tt.code, refused.StatusCode)
				require.Equal(t, time.Minute+time.Duration(tt.puts)*30*time.Second, time.Since(s.began), "at once")
				require.Contains(t, op.Error(), "; not begun again: PUT "+origin+resource)
				require.Equal(t, poller.Failed, p.Status().State)
				_, err = resume(t, tokenOf(t, p), s).PollUntilDone(t.Context())
				require.EqualError(t, err, op.Error(), "the token tells it too")
				require.Len(t, s.requests(), 2+tt.puts)
			})
		})
	}
}

func TestARefusalThatIsRepeatedIsAFailedRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		script := failingPut(tryAgain)
		script["PUT "+resource] = []reply{accepted, busy + "\nRetry-After: 60", "202\nAzure-AsyncOperation: /operations/op2"}
		s := serve(script)
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		st, err := p.Poll(t.Context())
		require.IsType(t, &lroerrors.StatusError{}, err)
		require.Equal(t, err, st.ReadErr)
		require.Equal(t, "Failed", st.Word)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 0, 30 * time.Second, 90 * time.Second, 150 * time.Second, 150 * time.Second}, s.times())
	})
}

func TestADeadlineWithinTheRepeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		p := begin(t, s, "PUT", repeating(poller.Repeat{Every: time.Hour}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_, err := p.PollUntilDone(ctx)
		wait := waitOf(t, err, lroerrors.Deadline)
		require.Equal(t, "Failed", wait.Word)
		require.Equal(t, time.Minute, time.Since(s.began), "not cut to fit, and known at once")
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 62*time.Minute, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) { // while the answer is awaited
		s := serve(failingPut(tryAgain))
		hang := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && len(s.requests()) > 1 {
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			}
			s.ServeHTTP(w, r)
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(hang), repeating(poller.Repeat{Times: 2}))
		require.NoError(t, err)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			_, err = p.PollUntilDone(ctx)
			requireWait(t, err, lroerrors.Deadline)
			cancel()
		}
		_, err = p.PollUntilDone(t.Context())
		requireFailed(t, err, "RetryableError")
		op := failureOf(t, err)
		require.ErrorContains(t, op.Err, "the answer was not waited for", "each counts")
	})
}

func TestCancelEndsTheRepeating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		time.AfterFunc(80*time.Second, func() { require.NoError(t, p.Cancel(t.Context())) })
		_, err := p.PollUntilDone(t.Context())
		requireFailed(t, err, "RetryableError")
		require.Equal(t, 80*time.Second, time.Since(s.began))
		require.Len(t, s.requests(), 2, "what has failed is not canceled")
	})
	bubble(t, func(t *testing.T) { // in a group, which sleeps elsewhere
		s := serve(failingPut(tryAgain))
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		time.AfterFunc(80*time.Second, func() { require.NoError(t, p.Cancel(t.Context())) })
		g := poller.NewGroup(nil)
		g.Add(p)
		g.Close()
		for _, err := range g.Wait(t.Context()) {
			requireFailed(t, err, "RetryableError")
		}
		require.Equal(t, 80*time.Second, time.Since(s.began))
	})
	bubble(t, func(t *testing.T) { // while the request is under way
		script := failingPut(tryAgain)
		script["DELETE /operations/op2"] = []reply{"202"}
		s := serve(script)
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				time.Sleep(20 * time.Second)
			}
			s.ServeHTTP(w, r)
		})
		opts := repeating(poller.Repeat{})
		opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete}, nil
		}
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slow), opts)
		require.NoError(t, err)
		time.AfterFunc(95*time.Second, func() { require.NoError(t, p.Cancel(t.Context())) }) // sent at 90, answered at 110
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Contains(t, s.requests(), "DELETE /operations/op2", "the one that has just begun")
	})
}

func TestAGroupBeginsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(failingPut(tryAgain))
		p := begin(t, s, "PUT", repeating(poller.Repeat{}))
		g := poller.NewGroup(nil)
		g.Add(p)
		g.Close()
		time.AfterFunc(70*time.Second, p.WakeUp) // in the pause: it changes nothing
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
		}
		require.Equal(t, []time.Duration{0, 60 * time.Second, 90 * time.Second, 150 * time.Second, 150 * time.Second}, s.times())
	})
}

// A failure that a check has told is one, too.
func TestAConfirmThatFailsIsRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(asyncPut(`200 {"properties":{"provisioningState":"Failed"},"error":{"code":"RetryableError"}}`, widget))
		opts := confirming(poller.Check{})
		opts.Repeat = &poller.Repeat{}
		v, err := begin(t, s, "PUT", opts).PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, widget[4:], string(v))
		require.Equal(t, []string{
			"PUT " + resource, get(monitor), get(resource), "PUT " + resource, get(monitor), get(resource),
		}, s.requests())
	})
}

// New has no request to send again.
func TestNewRepeatsOnlyWhatTheCallerMakes(t *testing.T) {
	for _, made := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			s := serve(failingPut(tryAgain))
			req := newRequest(t, "PUT", resource)
			resp, err := s.client().Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			r := poller.Repeat{}
			if made {
				r.Request = func() (*http.Request, error) { return newRequest(t, "PUT", resource), nil }
			}
			p, err := poller.New[raw](resp, s.client(), repeating(r))
			require.NoError(t, err)
			_, err = p.PollUntilDone(t.Context())
			if made {
				require.NoError(t, err)
			} else {
				requireFailed(t, err, "RetryableError")
			}
		})
	}
}
