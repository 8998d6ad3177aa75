package lrotf_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

// If the operation ends within the grace period after Ctrl-C, the apply succeeds as if it had not
// been interrupted.
func TestGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Duration: 70 * time.Minute, RetryAfter: time.Minute})
		r.c.grace = 15 * time.Minute
		time.AfterFunc(time.Hour, func() { _ = r.Stop(context.Background()) })
		result, took := r.apply(w1(1))
		require.Equal(t, 70*time.Minute, took)
		require.Empty(t, texts(result))
		require.Empty(t, r.Private())
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
	})
}

// The provider stores the token when the grace period or the timeout ends, or right away if no read
// is due within the grace period.
func TestGraceExpires(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                     string
		grace, timeout, retry, d time.Duration
	}{
		{"the period", 10 * time.Minute, 100 * time.Hour, time.Minute, 70 * time.Minute},
		{"the timeout", 10 * time.Minute, 65 * time.Minute, time.Minute, 65 * time.Minute},
		{"no read is due", 3 * time.Minute, 100 * time.Hour, 8 * time.Minute, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, fakes.Plan{Method: put, Duration: days, RetryAfter: tt.retry})
				r.c.grace, r.c.timeout = tt.grace, tt.timeout
				time.AfterFunc(time.Hour, func() { _ = r.Stop(context.Background()) })
				result, took := r.apply(impatient(1))
				require.InDelta(t, tt.d, took, float64(time.Minute))
				require.LessOrEqual(t, took, tt.d)
				require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
				require.Contains(t, r.Private(), `"lro"`)
				r.restart()
				result, _ = r.apply(w1(1))
				require.False(t, result.Failed(), "%s", texts(result))
				require.Equal(t, 1, r.started(put))
			})
		})
	}
}

// After Ctrl-C, Update sends no PUT, even if the operation it resumed ends within the grace period.
func TestNoRequestAfterCtrlC(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.interrupted(w1(1))
		r.c.grace = time.Hour
		time.AfterFunc(days-90*time.Minute, func() { _ = r.Stop(context.Background()) })
		result, _ := r.apply(w1(2))
		require.True(t, result.Failed())
		require.Contains(t, texts(result), "ERROR: Updating widget \"w1\"\ncontext canceled")
		require.Equal(t, 1, r.started(put))
		require.False(t, r.Tainted())
		r.restart()
		result, _ = r.apply(w1(2))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, "2", r.Attribute("size"))
		require.Equal(t, 2, r.started(put))
	})
}

// TestUnansweredCreation checks that Create finds and follows a creation whose response was lost.
func TestUnansweredCreation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		accepted := false
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: -1, Do: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if !accepted {
					accepted = true
					next.ServeHTTP(discard{http.Header{}}, req)
				}
				fakes.Drop()(nil).ServeHTTP(w, req)
			})
		}})
		start := time.Now()
		result, err := r.Apply(t.Context(), w1(1))
		require.NoError(t, err)
		require.Empty(t, texts(result))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.GreaterOrEqual(t, time.Since(start), days)
	})
}

// If a creation gets no response and the resource differs from the plan, Create returns an error,
// because another client may have created the resource.
func TestUnansweredCreationDiffers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: -1, Do: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				r.svc.Put(widgetPath+"w1", map[string]any{"properties": map[string]any{"size": 7}})
				fakes.Drop()(nil).ServeHTTP(w, req)
			})
		}})
		result, _ := r.apply(w1(1))
		require.Contains(t, texts(result), `ERROR: Creating widget "w1": no response`)
		require.Contains(t, texts(result), "import it")
		require.False(t, r.HasState())
	})
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// An error from Set does not taint a resource that has been created.
func TestSetFailsAfterCreate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: 1})
		r.c.broken = true
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed())
		require.Contains(t, texts(result), "WARNING: Not a widget")
		require.False(t, r.Tainted())
		require.Equal(t, widgetPath+"w1", r.Attribute("id"))
		r.c.broken = false
		require.Equal(t, "no-op", r.plan(w1(1)).Action)
	})
}

// If the status URL of a creation has an origin that is not allowed, Create warns, and the next
// apply follows the creation by reading the resource.
func TestUnfollowableCreation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Times: 1, Do: fakes.Edit(func(a *fakes.Answer) {
			a.Header.Set("Azure-AsyncOperation", "https://elsewhere.test/status")
		})})
		result, _ := r.apply(w1(1))
		require.False(t, result.Failed(), "%s", texts(result))
		require.Contains(t, texts(result), `WARNING: Creating widget "w1": not finished`)
		require.True(t, r.HasState())
		require.False(t, r.Tainted())
		result, _ = r.apply(w1(1))
		require.Contains(t, texts(result), "WARNING: An operation cannot be resumed")
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Equal(t, 1, r.started(put))
	})
}

// If BeginCreate fails before it starts the creation, Create returns no state, even if the error is
// a WaitError. Here, that error comes from a read of a quota.
func TestUnfollowableRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.c.before = func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.test/quota", http.NoBody)
			require.NoError(t, err)
			_, err = poller.Begin[widget](req, r.c, nil)
			return err
		}
		r.svc.Fault(fakes.Fault{Path: "/quota", Do: fakes.Status(http.StatusAccepted)})
		result, _ := r.apply(w1(1))
		require.Contains(t, texts(result), `ERROR: Creating widget "w1": the response cannot be used`)
		require.False(t, r.HasState())
		require.Zero(t, r.started(put))
	})
}

// TestResourceTimeout checks that the wait ends after Resource.Timeout, unless the configuration
// sets a timeout.
func TestResourceTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{RetryAfter: time.Minute, Duration: days})
		r.c.timeout = 10 * time.Minute
		_, took := r.apply(impatient(1))
		require.InDelta(t, 10*time.Minute, took, float64(time.Minute))
		config := impatient(1)
		config["timeouts"] = lrotftest.Config{"create": "20m"}
		_, took = r.apply(config)
		require.InDelta(t, 20*time.Minute, took, float64(time.Minute))
	})
}

// Without a Timeout, the wait ends after an hour. A negative Timeout means no limit. Grace does not
// change a wait that is not interrupted.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		timeout, grace, want time.Duration
	}{
		{0, 0, time.Hour},
		{time.Hour, 0, time.Hour},
		{0, -1, time.Hour},
		{-1, 0, days},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakes.Plan{RetryAfter: time.Minute, Duration: days})
			r.c.timeout = tt.timeout
			r.c.grace = tt.grace
			_, took := r.apply(impatient(1))
			require.InDelta(t, tt.want, took, float64(time.Minute), "%+v", tt)
		})
	}
}
