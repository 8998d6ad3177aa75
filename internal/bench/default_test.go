package bench

import (
	"context"
	"net/http"
	"testing"
)

// A defaultMeasure measures each subject's default client. In each round, a client repeats its work
// n times. If the work has several parts, such as pages, the figures are per part.
type defaultMeasure struct {
	of       runners
	n, parts int
}

// byDefault measures the default clients. It must run in a child process, because lro creates its
// default client only once, from http.DefaultTransport.
func byDefault(tb testing.TB, o order) figures {
	tb.Helper()
	m := defaultMeasures[o.Subject](tb.(*testing.T), o)
	readings := measure(tb, subjects, m.of, o.Rounds, m.n)
	f, parts := figures{}, float64(m.parts)
	for subject, r := range readings {
		f[subject+" cpu"], f[subject+" ratio"] = median(r.cpu)/parts, ratio(r.cpu, readings[azcore].cpu)
		f[subject+" allocs"], f[subject+" bytes"] = r.allocs/parts, r.bytes/parts
	}
	return f
}

var defaultMeasures = map[string]func(t *testing.T, o order) defaultMeasure{
	"poll":     func(t *testing.T, o order) defaultMeasure { return pollsInMemory(t, o, async) },
	"location": func(t *testing.T, o order) defaultMeasure { return pollsInMemory(t, o, location) },
	"state":    func(t *testing.T, o order) defaultMeasure { return pollsInMemory(t, o, state) },
	"begin":    beginsInMemory,
	"resume":   resumesInMemory,
	"loopback": pollsOverLoopback,
	"listing":  listingsInMemory,
}

// pollsInMemory measures reading a status from a service that replaces http.DefaultTransport.
// azcore's default client cannot be changed, so azcore gets the service explicitly.
func pollsInMemory(t *testing.T, o order, s style) defaultMeasure {
	t.Helper()
	service := running()
	http.DefaultTransport = service
	pl := fullPipeline(&http.Client{Transport: service})
	return defaultMeasure{n: o.Ops, parts: 1, of: runners{
		lro:       lroPoll(t, identified(firstResponse(t, service, s)), nil).times(t.Context()), //nolint:bodyclose // in memory
		azcore:    azcorePoll(t, firstResponse(t, service, s), pl).times(t.Context()),           //nolint:bodyclose // in memory
		hashicorp: hashicorpPolls(t, s),
		floor:     floorPoll(http.DefaultClient, s).times(t.Context()),
	}}
}

// identified adds a client request ID to resp.Request, as lro's default client would. lro repeats
// the ID in its polls.
func identified(resp *http.Response) *http.Response {
	resp.Request.Header.Set("X-Ms-Client-Request-Id", "9987372b-2784-4d8f-a461-da5544c986af")
	return resp
}

// pollsOverLoopback measures reading a status from the service at o.Base, which runs in another
// process.
func pollsOverLoopback(t *testing.T, o order) defaultMeasure {
	t.Helper()
	firstResponse := func() *http.Response { return fleetResponse(t.Context(), t, o.Base, 0) }
	known, err := takeNote(firstResponse()) //nolint:bodyclose // in memory
	must(t, err)
	return defaultMeasure{n: o.Ops, parts: 1, of: runners{
		lro:    lroPoll(t, identified(firstResponse()), nil).times(t.Context()),      //nolint:bodyclose // in memory
		azcore: azcorePoll(t, firstResponse(), fullPipeline(nil)).times(t.Context()), //nolint:bodyclose // in memory
		floor:  pollFunc((&floorOperation{note: known, client: http.DefaultClient}).poll).times(t.Context()),
	}}
}

// listingsInMemory measures reading a listing of o.Ops pages.
func listingsInMemory(t *testing.T, o order) defaultMeasure {
	t.Helper()
	service := newService(t, true, o.Ops)
	http.DefaultTransport = service
	pl := fullPipeline(&http.Client{Transport: service})
	azDefault := func(ctx context.Context, _ *http.Client) (int, error) { return azThrough(ctx, pl) }
	return defaultMeasure{n: 1, parts: o.Ops, of: runners{
		lro:    listing(t, ours, nil),
		azcore: listing(t, azDefault, nil),
		floor:  listing(t, bare, http.DefaultClient),
	}}
}
