package features

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"

	"github.com/lro-go/lro/poller"
)

var watchRows = []row{
	{"Follows an operation through the Get method of a typed client", "by a `PollingHandler`", "by a `PollerType`", "by `Watch`", typedGetter},
	{"A read that fails for four minutes", "no: an error", "by `NewRetryOnErrorPoller`", "yes", getterFails},
	{"A read that is refused with 403", "an error at once", "an error at once", "an error at once", getterRefused},
	{"A read that never returns", "no: waits for it", "no: waits for it", "yes", getterHangs},
	{"Ends only after three reads in a row have shown the end", "no: ends at the first read", "no: ends at the first read", "by `Times`", getterFlaps},
	{"A poller that has already ended, for tests", "by a `PollingHandler`", "by a `PollerType`", "by `Finished`", finished},
}

// A reading does the work of one call to a typed client's Get method.
type reading func(context.Context) (widget, error)

// typed is a typed client. Each call to Get uses the next reading, and the last one is repeated.
type typed struct {
	readings []reading
	began    time.Time
	at       []time.Duration
}

func typedClient(readings ...reading) *typed { return &typed{readings: readings, began: time.Now()} }

func (c *typed) Get(ctx context.Context) (widget, error) {
	read := c.readings[min(len(c.at), len(c.readings)-1)]
	c.at = append(c.at, time.Since(c.began))
	return read(ctx)
}

// inState returns a reading that finds the widget in the given state.
func inState(state string) reading {
	return func(context.Context) (w widget, _ error) {
		w.Name, w.Properties.ProvisioningState = "w", state
		return w, nil
	}
}

// A refusedError is a typed client's error for a request that the service refuses.
type refusedError struct{ code int }

func (e *refusedError) Error() string   { return http.StatusText(e.code) }
func (e *refusedError) StatusCode() int { return e.code }

func failsWith(code int) reading {
	return func(context.Context) (widget, error) { return widget{}, &refusedError{code} }
}

// A getterHandler lets azcore's poller use a typed client, without HTTP responses.
type getterHandler struct {
	get  func(context.Context) (widget, error)
	last widget
}

func (h *getterHandler) Done() bool { return h.last.Properties.ProvisioningState == "Succeeded" }

func (h *getterHandler) Poll(ctx context.Context) (_ *http.Response, err error) {
	w, err := h.get(ctx)
	if err == nil {
		h.last = w
	}
	return nil, err
}

func (h *getterHandler) Result(_ context.Context, out *widget) error {
	*out = h.last
	return nil
}

// A getterPoller lets go-azure-sdk's poller use a typed client.
type getterPoller struct {
	get  func(context.Context) (widget, error)
	last widget
}

func (p *getterPoller) Poll(ctx context.Context) (_ *pollers.PollResult, err error) {
	w, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	p.last = w
	status := pollers.PollingStatusInProgress
	if p.last.Properties.ProvisioningState == "Succeeded" {
		status = pollers.PollingStatusSucceeded
	}
	return &pollers.PollResult{PollInterval: 10 * time.Second, Status: status}, nil
}

// A getterFollower waits for an operation by calling a typed client's Get method.
type getterFollower func(context.Context, *typed) (widget, error)

func azcoreGets(ctx context.Context, c *typed) (widget, error) {
	p, err := azruntime.NewPoller(nil, azruntime.Pipeline{}, &azruntime.NewPollerOptions[widget]{Handler: &getterHandler{get: c.Get}})
	if err != nil {
		return widget{}, err
	}
	return p.PollUntilDone(ctx, nil)
}

func hashicorpGets(retry bool) getterFollower {
	return func(ctx context.Context, c *typed) (widget, error) {
		of := &getterPoller{get: c.Get}
		p := pollers.NewRetryOnErrorPoller(of, 10*time.Second, pollers.DefaultNumberOfDroppedConnectionsToAllow, retry)
		err := p.PollUntilDone(ctx)
		return of.last, err
	}
}

func lroGets(opts *poller.WatchOptions) getterFollower {
	return func(ctx context.Context, c *typed) (widget, error) {
		return poller.Watch(c.Get, nil, opts).PollUntilDone(ctx)
	}
}

var getterFollowers = map[string]getterFollower{azcore: azcoreGets, hashicorp: hashicorpGets(false), lro: lroGets(nil)}

// got returns the table cell for a wait that should return the widget.
func got(t *testing.T, with getterFollower, readings ...reading) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	c := typedClient(readings...)
	w, err := with(ctx, c)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no: waits for it"
	case err != nil && len(c.at) == 1:
		return "an error at once"
	case err != nil:
		return "no: an error"
	case w.Name != "w" || w.Properties.ProvisioningState != "Succeeded":
		return "no: ends without the result"
	}
	return "yes"
}

// means replaces a "yes" in a table cell with the name of the API that the subject has for this
// row. It returns any other cell unchanged.
func means(said, subject, ours string) string {
	if said != "yes" {
		return said
	}
	return map[string]string{azcore: "by a `PollingHandler`", hashicorp: "by a `PollerType`", lro: ours}[subject]
}

func typedGetter(t *testing.T, subject string) string {
	return means(got(t, getterFollowers[subject], inState("Creating"), inState("Succeeded")), subject, "by `Watch`")
}

// getterFails returns the table cell for a Get method that succeeds once and then fails for four
// minutes.
func getterFails(t *testing.T, subject string) string {
	of := func() []reading {
		began := time.Now()
		return []reading{inState("Creating"), func(ctx context.Context) (widget, error) {
			if time.Since(began) < 4*time.Minute {
				return failsWith(http.StatusServiceUnavailable)(ctx)
			}
			return inState("Succeeded")(ctx)
		}}
	}
	said := got(t, getterFollowers[subject], of()...)
	if subject == hashicorp && said != "yes" && got(t, hashicorpGets(true), of()...) == "yes" {
		return "by `NewRetryOnErrorPoller`"
	}
	return said
}

func getterRefused(t *testing.T, subject string) string {
	return got(t, getterFollowers[subject], failsWith(http.StatusForbidden))
}

// getterHangs returns the table cell for a Get method that returns only when its context ends.
func getterHangs(t *testing.T, subject string) string {
	if raced && subject == hashicorp {
		t.Skip("the poller of go-azure-sdk has a data race: two goroutines write its error")
	}
	hang := func(ctx context.Context) (widget, error) { <-ctx.Done(); return widget{}, ctx.Err() }
	return got(t, getterFollowers[subject], inState("Creating"), hang, inState("Succeeded"))
}

// getterFlaps checks whether a subject can ignore a final state if a later read shows the operation
// in progress again.
func getterFlaps(t *testing.T, subject string) string {
	with := getterFollowers[subject]
	if subject == lro {
		with = lroGets(&poller.WatchOptions{Times: 3})
	}
	c := typedClient(inState("Succeeded"), inState("Creating"), inState("Succeeded"))
	ctx := deadline(t)
	_, err := with(ctx, c)
	must(t, err)
	if len(c.at) == 5 {
		return "by `Times`"
	}
	return "no: ends at the first read"
}

// finished checks whether a subject has a poller for a result that is already known. Such a poller
// needs no service and does not wait.
func finished(t *testing.T, subject string) string {
	began := time.Now()
	done := inState("Succeeded")
	w, err := widget{}, error(nil)
	switch subject {
	case azcore:
		w, err = azcoreGets(t.Context(), typedClient(done))
	case hashicorp:
		of := &getterPoller{get: done}
		p := pollers.NewPoller(of, 0, 1)
		err = p.PollUntilDone(deadline(t))
		w = of.last
	case lro:
		w, _ = done(t.Context())
		w, err = poller.Finished(w, nil).PollUntilDone(t.Context())
	}
	must(t, err)
	if w.Name != "w" || time.Since(began) != 0 {
		return "no"
	}
	return means("yes", subject, "by `Finished`")
}
