package poller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

type part struct{}

func (part) Step(a strategy.Answer) (strategy.Move, error) {
	if a.First {
		return strategy.Move{Poll: monitor, Memo: raw(`{}`)}, nil
	}
	body, ok := a.Lookup("/response")
	if !ok {
		return strategy.Move{Memo: raw(`{}`)}, nil
	}
	return strategy.Move{Status: poller.Status{State: poller.Succeeded}, Result: strategy.Result{Body: body}}, nil
}

// Cancel sends the caller's cancel request even while a success is unconfirmed.
func TestCancelWhileUnconfirmed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {`200 {"properties":{"provisioningState":"Updating"}}`},
			"DELETE " + resource: {"200"}, "DELETE " + monitor: {"200"},
		})
		p := begin(t, s, "PUT", &poller.Options{
			Strategy: poller.Confirm(nil, poller.Check{}),
			CancelRequest: func(poller.Status) (*poller.Request, error) {
				return &poller.Request{Method: "DELETE", URL: monitor}, nil
			},
		})
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		_, err = p.Poll(t.Context())
		require.NoError(t, err)
		require.True(t, p.Status().Unconfirmed)
		require.NoError(t, p.Cancel(t.Context()))
		r := s.requests()
		require.Equal(t, "DELETE "+monitor, r[len(r)-1])
	})
}

func TestCheckURLWithoutHostIsRejected(t *testing.T) {
	s := serve(nil)
	for _, strategy := range []poller.Strategy{
		poller.Confirm(nil, poller.Check{URL: "https:///widgets/w1"}),
		poller.CrossCheck(nil, poller.Check{URL: "https:///widgets/w1"}),
	} {
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), s.client(), &poller.Options{Strategy: strategy})
		require.ErrorContains(t, err, "has no host")
	}
	require.Empty(t, s.requests())
}

func TestHoldSurvivesResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {succeeded}, get(resource): {widget}})
		opts := &poller.Options{Origins: []string{origin}, Strategy: poller.Confirm(nil, poller.Check{Delay: 48 * time.Hour})}
		p := begin(t, s, "PUT", opts)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		want := p.NextPoll()
		tok, err := p.ResumeToken()
		require.NoError(t, err)
		q, err := poller.Resume[raw](tok, s.client(), opts)
		require.NoError(t, err)
		require.Equal(t, want, q.NextPoll().In(want.Location()))
	})
}

func TestOverdueCheckKeepsResultLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		big := `200 {"value":"` + strings.Repeat("x", 300) + `"}`
		s := serve(map[string][]reply{
			"POST " + resource: {acceptedAt}, get(monitor): {"202", "202", big}, get(resource): {`200 {"properties":{"provisioningState":"Updating"}}`},
		})
		p := begin(t, s, "POST", &poller.Options{MaxStatusBytes: 100, Strategy: poller.CrossCheck(nil, poller.Check{After: time.Second})})
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Len(t, v, len(big)-4)
	})
}

func TestOverdueCheckKeepsResourceLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		big := `{"value":"` + strings.Repeat("x", 300) + `","properties":{"provisioningState":"%s"}}`
		s := serve(map[string][]reply{
			"PUT " + resource: {"201 " + fmt.Sprintf(big, "Creating")}, get(resource): append(repeat("200 "+fmt.Sprintf(big, "Creating"), 2), "200 "+fmt.Sprintf(big, "Succeeded")),
			get("/health"): {`200 {"properties":{"provisioningState":"Updating"}}`},
		})
		p := begin(t, s, "PUT", &poller.Options{MaxStatusBytes: 100, Strategy: poller.CrossCheck(nil, poller.Check{URL: "/health", After: time.Second})})
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Less(t, time.Since(s.began), 10*time.Minute)
	})
}

func TestFailedOverdueCheckKeepsStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, get(monitor): {"200 {\"status\":\"Running\"}"}, get(resource): {"404\nRetry-After: 500"},
		})
		p := begin(t, s, "PUT", &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Second})})
		time.Sleep(2 * time.Second)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		st, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 200, st.StatusCode)
		require.Equal(t, time.Minute, time.Until(st.NextPoll))
	})
}

func TestFailedCheckDoesNotResetAgreement(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, get(monitor): {running, "503"}, get(resource): {widget, "503", widget},
		})
		p := begin(t, s, "PUT", &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{Times: 2})})
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestFlappingCheckEndsWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var flap []reply
		for range 2000 {
			flap = append(flap, widget, `200 {"properties":{"provisioningState":"Updating"}}`)
		}
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503"}, get(resource): flap})
		p := begin(t, s, "PUT", &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{Times: 2})})
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		_, err := p.PollUntilDone(ctx)
		we, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonPatience, we.Reason)
	})
}

func TestDeletionIsGoneAfter410(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {running, "410"}, get(resource): {widget}})
		p := begin(t, s, "DELETE", nil)
		_, err := p.PollUntilDone(t.Context())
		we, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonGone, we.Reason)
	})
}

func TestDeletionIsGoneAfter404And503(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): {running, "404", "503"}, get(resource): {widget, "503"}})
		p := begin(t, s, "DELETE", nil)
		_, err := p.PollUntilDone(t.Context())
		we, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonGone, we.Reason)
	})
}

func TestLostDeletionGetsFreshPatience(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began := time.Now()
		var lostAt time.Duration
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := time.Since(began)
			switch {
			case r.Method == "DELETE":
				write(w, accepted)
			case r.URL.Path == monitor && at < 90*time.Second:
				write(w, running)
			case r.URL.Path == monitor && at < 20*time.Minute:
				write(w, "503")
			case r.URL.Path == monitor:
				if lostAt == 0 {
					lostAt = at
				}
				write(w, "404")
			default:
				write(w, widget)
			}
		})
		p, err := poller.Begin[raw](newRequest(t, "DELETE", resource), clientOf(h), nil)
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		_ = waitOf(t, err, lroerrors.ReasonGone)
		require.GreaterOrEqual(t, time.Since(began)-lostAt, 30*time.Minute)
	})
}

func TestCheckAtStatusURLRecovers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began := time.Now()
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := time.Since(began)
			switch {
			case r.Method == "PUT":
				write(w, `201 {"properties":{"provisioningState":"Creating"}}`)
			case at > 90*time.Second && at < 35*time.Minute:
				write(w, "503")
			case at < 3*time.Hour:
				write(w, `200 {"properties":{"provisioningState":"Creating"}}`)
			default:
				write(w, widget)
			}
		})
		p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(h), &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{})})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

func TestLocationMovesWithOverdueCheck(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"202\nLocation: /operations/op2"}, get("/operations/op2"): {"202"}, get(resource): {`200 {"properties":{"provisioningState":"Updating"}}`}})
		p := begin(t, s, "POST", &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Second})})
		time.Sleep(2 * time.Second)
		_, err := p.Poll(t.Context())
		require.NoError(t, err)
		require.Equal(t, origin+"/operations/op2", p.URL())
	})
}

func TestCancelWhileStatusIsLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"PUT " + resource: {accepted}, get(monitor): {running, "503"}, get(resource): {widget}})
		p := begin(t, s, "PUT", &poller.Options{
			Strategy: poller.CrossCheck(nil, poller.Check{Times: 50}),
			CancelRequest: func(poller.Status) (*poller.Request, error) {
				return &poller.Request{Method: "DELETE", URL: monitor}, nil
			},
		})
		seen := map[string]bool{}
		for range 40 {
			time.Sleep(time.Until(p.NextPoll()))
			_, _ = p.Poll(t.Context())
			_ = p.Cancel(t.Context())
			seen[p.URL()] = true
			tok, err := p.ResumeToken()
			require.NoError(t, err)
			q, err := poller.Resume[raw](tok, s.client(), trusted)
			require.NoError(t, err)
			require.Equal(t, p.URL(), q.URL())
		}
		require.Zero(t, count(s.requests(), "DELETE "+resource))
	})
}

func TestConfirmKeepsNestedResult(t *testing.T) {
	for _, n := range []int{100, 20000} {
		bubble(t, func(t *testing.T) {
			x := strings.Repeat("x", n)
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(monitor): {`200 {"done":true,"response":{"name":"` + x + `"}}`}, get(resource): {widget}})
			p, err := poller.Begin[struct{ Name string }](newRequest(t, "POST", resource), s.client(), &poller.Options{Strategy: poller.Confirm(part{}, poller.Check{})})
			require.NoError(t, err)
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err)
			require.Len(t, v.Name, n)
		})
	}
}

func TestConfirmKeepsResultURL(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {`200 {"value":[],"nextLink":"?page=2"}`}, get(resource): {widget}})
		p := begin(t, s, "POST", &poller.Options{Strategy: poller.Confirm(nil, poller.Check{})})
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, origin+monitor, p.ResultURL())
	})
}

func TestAbsoluteCheckURLWithoutTarget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{get(monitor): {`200 {"a":1}`}, get(resource): {widget}})
		tok, _ := json.Marshal(map[string]any{"type": "x", "token": map[string]any{"type": "loc", "pollURL": origin + monitor, "method": "POST"}})
		p, err := poller.Resume[raw](string(tok), s.client(), &poller.Options{Origins: []string{origin}, Strategy: poller.Confirm(nil, poller.Check{URL: origin + resource})})
		require.NoError(t, err)
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err, "%v", s.requests())
		require.JSONEq(t, `{"a":1}`, string(v))
	})
}
