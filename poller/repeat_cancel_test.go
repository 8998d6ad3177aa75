package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// cancelable is repeating with a way to cancel.
func cancelable(r poller.Repeat) *poller.Options {
	opts := repeating(r)
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil }
	return opts
}

// Who cancels an operation does not want it begun again, whatever it ends with.
func TestWhatIsCanceledIsNotBegunAgain(t *testing.T) {
	always := poller.Repeat{
		When:    func(error) bool { return true },
		Request: func() (*http.Request, error) { return http.NewRequest(http.MethodPut, origin+resource, http.NoBody) }, //nolint:noctx // the poller gives it one
	}
	for _, end := range []reply{tryAgain, `200 {"status":"Canceled"}`} {
		for _, apart := range []bool{false, true} {
			bubble(t, func(t *testing.T) {
				script := failingPut(running, end)
				script["POST /cancel"] = []reply{"202"}
				s, opts := serve(script), cancelable(always)
				p := begin(t, s, "PUT", opts)
				require.NoError(t, p.Cancel(t.Context()))
				if apart {
					var err error
					p, err = poller.Resume[raw](tokenOf(t, p), s.client(), opts)
					require.NoError(t, err)
				}
				_, err := p.PollUntilDone(t.Context())
				require.ErrorContains(t, err, "operation ")
				require.Equal(t, 1, count(s.requests(), "PUT "+resource))
			})
		}
	}
	bubble(t, func(t *testing.T) { // a cancel that is refused changes nothing
		script := failingPut(tryAgain)
		script["POST /cancel"] = []reply{"409"}
		s := serve(script)
		p := begin(t, s, "PUT", cancelable(poller.Repeat{}))
		require.Error(t, p.Cancel(t.Context()))
		_, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// The cancel takes its time, and so does the status that tells the failure.
func TestACancelBesideAReadIsNotForgotten(t *testing.T) {
	for name, tt := range map[string]struct{ cancel, status time.Duration }{
		"accepted during the read":  {5 * time.Second, 10 * time.Second},
		"accepted in the pause":     {20 * time.Second, 10 * time.Second},
		"accepted in the next read": {45 * time.Second, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				script := failingPut(tryAgain)
				script["POST /cancel"] = []reply{"202"}
				script["GET /operations/op2"] = []reply{`200 {"status":"Canceled"}`}
				s := serve(script)
				slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method == http.MethodPost:
						time.Sleep(tt.cancel)
					case len(s.requests()) > 0:
						time.Sleep(tt.status)
					}
					s.ServeHTTP(w, r)
				})
				p, err := poller.Begin[raw](newRequest(t, "PUT", resource), clientOf(slow), cancelable(poller.Repeat{}))
				require.NoError(t, err)
				canceled := make(chan error, 1)
				time.AfterFunc(60*time.Second, func() { canceled <- p.Cancel(t.Context()) })
				_, err = p.PollUntilDone(t.Context())
				require.ErrorContains(t, err, "operation ")
				require.NoError(t, <-canceled)
				puts := 1
				if name == "accepted in the next read" {
					puts = 2
					require.Equal(t, 2, count(s.requests(), "POST /cancel"), "each is canceled")
				}
				require.Equal(t, puts, count(s.requests(), "PUT "+resource))
			})
		})
	}
}

// The ending that stands tells the last refusal, whoever gave up.
func TestTheLastRefusalIsToldWhereNothingIsSentAnyMore(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			script := failingPut(tryAgain)
			script["PUT "+resource] = []reply{accepted, busy}
			s := serve(script)
			p := begin(t, s, "PUT", repeating(poller.Repeat{}))
			for range 2 {
				_, _ = p.Poll(t.Context())
				time.Sleep(time.Until(p.NextPoll()))
			}
			if cancel {
				require.NoError(t, p.Cancel(t.Context()))
			} else {
				p = resume(t, tokenOf(t, p), s)
			}
			_, err := p.PollUntilDone(t.Context())
			requireFailed(t, err, "RetryableError")
			require.ErrorContains(t, failureOf(t, err).Err, "409 Conflict")
		})
	}
}
