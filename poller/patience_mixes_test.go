package poller_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A single 404 followed by a day of 429s does not end the wait with ReasonGone.
func TestOneStray404AndThrottlingIsNotGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {running, "404", "429\nRetry-After: 600"}})
		_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
		require.Equal(t, lroerrors.ReasonPatience, waitReason(err))
	})
}

// A pause that the service asks for does not use up Patience.
func TestInstructionDoesNotShortenPatience(t *testing.T) {
	t.Run("72h", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"429", "drop"}})
			_, err := begin(t, s, "POST", &poller.Options{Patience: poller.Patience{Time: 72 * time.Hour, Failures: 5}}).PollUntilDone(t.Context())
			require.Equal(t, lroerrors.ReasonPatience, waitReason(err))
			require.GreaterOrEqual(t, time.Since(s.began), 72*time.Hour)
		})
	})
	t.Run("four drops", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			script := append([]reply{"503\nRetry-After: 86400"}, repeat("drop", 4)...) // four failed reads, one fewer than the default Patience.Failures
			s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): append(script, "200 {}")})
			_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
			require.NoError(t, err)
		})
	})
}

// A failed check's Retry-After delays the next read of the status by at most Cadence.Max. WakeUp
// does not shorten this delay.
func TestPauseAfterFailedCheck(t *testing.T) {
	for _, wake := range []bool{false, true} {
		t.Run(fmt.Sprint(wake), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{
					"POST " + resource: {accepted}, get(monitor): {running, succeeded},
					get(resource): {"429\nRetry-After: 1800"},
				})
				p := begin(t, s, "POST", &poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Second})})
				if wake {
					time.AfterFunc(2*time.Minute, p.WakeUp)
				}
				_, err := p.PollUntilDone(t.Context())
				require.NoError(t, err)
				times := s.times()
				require.Equal(t, 11*time.Minute, times[3])
			})
		})
	}
}

// If Cadence.First is set, the pause doubles with each read of the status, but not with the reads
// of a CrossCheck.
func TestPaceWithCheck(t *testing.T) {
	const sec = time.Second
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {accepted}, get(monitor): append(repeat(running, 5), succeeded),
			get(resource): {`200 {"properties":{"provisioningState":"Creating"}}`},
		})
		p := begin(t, s, "POST", &poller.Options{Cadence: poller.Cadence{First: sec}, Strategy: poller.CrossCheck(nil, poller.Check{After: 1})})
		for _, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
		}
		var at []time.Duration
		for i, what := range s.requests() {
			if what == get(monitor) {
				at = append(at, s.times()[i])
			}
		}
		require.Equal(t, []time.Duration{sec, 3 * sec, 7 * sec, 15 * sec}, at[:4])
	})
}

type mixedDoer func(*http.Request) (*http.Response, error)

func (f mixedDoer) Do(r *http.Request) (*http.Response, error) { return f(r) }

// Only the caller's deadline makes an error match context.DeadlineExceeded. A timeout of the
// client, of a Doer or of a token request does not.
func TestDeadlineExceededIsCallers(t *testing.T) {
	for _, how := range []string{"client timeout", "client timeout, ours", "client timeout, body", "doer", "token", "authorize", "cause"} {
		t.Run(how, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				started := false
				base := newScriptedNet()
				base.answer["x"] = func(*http.Request, int) (int, string, []string, time.Duration) { return 200, "1", nil, time.Hour }
				var client poller.Doer
				opts := &transport.Options{Base: base, Retries: -1}
				switch how {
				case "client timeout":
					client = &http.Client{Transport: base, Timeout: 10 * time.Second}
				case "client timeout, ours":
					client = &http.Client{Transport: transport.New(opts), Timeout: 10 * time.Second}
				case "client timeout, body":
					client = &http.Client{Timeout: 10 * time.Second, Transport: mixedTrip(func(r *http.Request) (*http.Response, error) {
						resp, err := base.RoundTrip(r.Clone(context.Background()))
						return resp, err
					})}
					base.answer["x"] = func(*http.Request, int) (int, string, []string, time.Duration) { return 200, "", nil, 0 }
					inner := client.(*http.Client).Transport
					client.(*http.Client).Transport = mixedTrip(func(r *http.Request) (*http.Response, error) {
						resp, err := inner.RoundTrip(r)
						if r.Method == "GET" {
							resp.Body, resp.ContentLength = hung{r.Context()}, -1
						}
						return resp, err
					})
				case "doer":
					client = mixedDoer(func(r *http.Request) (*http.Response, error) {
						if r.Method == "POST" {
							return base.RoundTrip(r)
						}
						return nil, fmt.Errorf("mine: %w", context.DeadlineExceeded)
					})
				case "token":
					opts.Token = func(context.Context, transport.TokenRequest) (transport.Token, error) {
						if started {
							return transport.Token{}, fmt.Errorf("imds: %w", context.DeadlineExceeded)
						}
						started = true
						return transport.Token{Value: "a", Expires: time.Now().Add(time.Second)}, nil
					}
					client = &http.Client{Transport: transport.New(opts)}
				case "authorize":
					opts.Authorize = func(r *http.Request) error {
						if r.Method == "GET" {
							return fmt.Errorf("imds: %w", context.DeadlineExceeded)
						}
						return nil
					}
					client = &http.Client{Transport: transport.New(opts)}
				case "cause":
					client = &http.Client{Transport: mixedTrip(func(r *http.Request) (*http.Response, error) {
						if r.Method == "POST" {
							return base.RoundTrip(r)
						}
						ctx, cancel := context.WithTimeout(r.Context(), time.Second)
						defer cancel()
						return base.RoundTrip(r.WithContext(ctx))
					})}
				}
				req, err := http.NewRequestWithContext(context.Background(), "POST", "https://a.test/x/1?after=10", http.NoBody)
				require.NoError(t, err)
				p, err := poller.Begin[raw](req, client, &poller.Options{Patience: poller.Patience{Time: -1, Failures: 2}})
				require.NoError(t, err)
				_, err = p.Poll(t.Context())
				require.Error(t, err)
				require.False(t, errors.Is(err, context.DeadlineExceeded), "Poll: %v", err)
				_, err = p.PollUntilDone(t.Context())
				require.Equal(t, lroerrors.ReasonPatience, waitReason(err), "%v", err)
				require.False(t, errors.Is(err, context.DeadlineExceeded), "wait: %v", err)
			})
		})
	}
}

type mixedTrip func(*http.Request) (*http.Response, error)

func (f mixedTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type hung struct{ ctx context.Context }

func (h hung) Read([]byte) (int, error) { <-h.ctx.Done(); return 0, h.ctx.Err() }
func (h hung) Close() error             { return nil }

// A few 404s among other failures do not end the wait with ReasonGone.
func TestMixedFailuresAreNotGone(t *testing.T) {
	for name, script := range map[string][]reply{
		"404 then 503 RA":   {"404", "503\nRetry-After: 3000"},
		"429 then one 404":  {"429\nRetry-After: 80000", "404", "429\nRetry-After: 80000"},
		"404 500s":          {"404", "500"},
		"drops then 404":    append(repeat("drop", 400), "404", "drop"),
		"two 404s then 429": {"404", "404", "429\nRetry-After: 600"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): append([]reply{running}, script...)})
				_, err := begin(t, s, "POST", nil).PollUntilDone(t.Context())
				require.NotEqual(t, lroerrors.ReasonGone, waitReason(err))
			})
		})
	}
}

// WaitError.Polls counts a poll even if its response is a redirect and the throttle gate holds back
// the redirected request.
func TestPollsCountsRequestBeforeHeldRedirect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST /a":               {"202\nLocation: /op/a"},
			get("/op/a"):            {"307\nLocation: /providers/P.Q/x"},
			get("/providers/P.Q/x"): {"429\nRetry-After: 7", "429\nRetry-After: 7", "200 1"},
		})
		client := through(s, transport.Options{})
		p := followWith(t, client, "a", nil)
		_, err := p.Poll(t.Context())
		require.Error(t, err)
		_, err = p.Poll(t.Context()) // the throttle gate holds back the request to the new URL
		require.Error(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = p.PollUntilDone(ctx)
		require.Equal(t, 2, waitOf(t, err, lroerrors.ReasonCanceled).Polls)
	})
}

// If a deletion's status cannot be read, the poller also reads the resource. A 404 there usually
// means that the deletion has succeeded.
func TestDeletions(t *testing.T) {
	for name, tt := range map[string]struct {
		patience poller.Patience
		status   []reply
		resource []reply
		want     lroerrors.Reason
	}{
		"404 from the start, short patience":             {poller.Patience{Time: time.Minute, Failures: 2}, []reply{"404"}, []reply{"404"}, ""},
		"404 after 503s":                                 {poller.Patience{}, append(repeat("503", 30), "404"), []reply{"404"}, ""},
		"one stray 404 in two hours":                     {poller.Patience{}, append(append(repeat(running, 60), "404"), append(repeat(running, 60), succeeded)...), []reply{`200 {"id":"x"}`}, ""},
		"one stray 404 in two hours, throttle":           {poller.Patience{}, append(append(repeat(running, 60), "404"), append(repeat(running, 60), succeeded)...), []reply{"429\nRetry-After: 3000", "429", `200 {"id":"x"}`}, ""},
		"404, and the resource is throttled for an hour": {poller.Patience{}, []reply{running, "404"}, append(repeat("429\nRetry-After: 300", 12), "404"), ""},
		"404, and the resource is down for 20 min":       {poller.Patience{}, []reply{running, "404"}, append(repeat("500", 4), "404"), ""},
		"none, 404 after a status":                       {poller.Patience{Time: -1}, []reply{running, "404"}, []reply{"404"}, ""},
		"none, 410":                                      {poller.Patience{Time: -1}, []reply{"410"}, []reply{"404"}, ""},
		"none, 404 at first":                             {poller.Patience{Time: -1}, []reply{"404"}, []reply{"404"}, lroerrors.ReasonGone},
		"429 then 404 forever, the resource is there":    {poller.Patience{}, []reply{running, "429\nRetry-After: 600", "404"}, []reply{`200 {"id":"x"}`}, lroerrors.ReasonGone},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"DELETE " + resource: {accepted}, get(monitor): tt.status, get(resource): tt.resource})
				_, err := begin(t, s, "DELETE", &poller.Options{Patience: tt.patience}).PollUntilDone(t.Context())
				if tt.want == "" {
					require.NoError(t, err)
				} else {
					require.Equal(t, tt.want, waitReason(err))
				}
			})
		})
	}
}

// A resumed poller observes the pause that the service asked for. WakeUp does not shorten it.
func TestResumeKeepsPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{"POST " + resource: {acceptedAt}, get(monitor): {"429\nRetry-After: 100", "202", "200 1"}})
		opts := &poller.Options{Origins: []string{origin}}
		p := begin(t, s, "POST", opts)
		_, err := p.Poll(t.Context())
		require.Error(t, err)
		p = again(t, p, s, opts)
		p.WakeUp()
		require.Equal(t, 100*time.Second, time.Until(p.NextPoll()))
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}
