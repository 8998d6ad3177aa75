package bench

import (
	"math"
	"testing"
)

// defaultLines returns the lines that compare the subjects' default clients. For each line, one
// child process measures the subjects in turn.
func defaultLines(t *testing.T) []line {
	t.Helper()
	s := newFleetService(t, 1, math.MaxInt32)
	defer s.Close()
	return []line{
		defaultLine(t, "default", "one poll, default client", order{Subject: "poll", Ops: 10_000}),
		defaultLine(t, "default/location", "one poll of a Location, default client", order{Subject: "location", Ops: 10_000}),
		defaultLine(t, "default/state", "one poll of a provisioningState, default client", order{Subject: "state", Ops: 10_000}),
		defaultLine(t, "default/begin", "begin, default client, with the request", order{Subject: "begin", Ops: 5000}),
		defaultLine(t, "default/resume", "resume, default client, with one poll", order{Subject: "resume", Ops: 5000}),
		defaultLine(t, "loopback", "one poll, default client, loopback HTTP", order{Subject: "loopback", Ops: 2000, Base: s.URL}),
		defaultLine(t, "listing", "one page of 100 items, default client", order{Subject: "listing", Ops: 200}),
	}
}

func defaultLine(t *testing.T, key, name string, o order) line {
	t.Helper()
	o.Measure, o.Rounds = "default", *rounds
	f := inChild(t, o)
	of := func(figure string) map[string]float64 {
		all := map[string]float64{}
		for _, subject := range subjects {
			if v, ok := f[subject+" "+figure]; ok {
				all[subject] = v
			}
		}
		return all
	}
	return line{key, name + ": CPU, allocations, bytes", []metric{
		{name: "CPU", write: micros, of: of("cpu"), ratioOf: of("ratio")},
		{name: "allocs", write: unit("%.0f allocs"), of: of("allocs")},
		{write: kB, of: of("bytes")},
	}}
}

// crowdLine fills in a line by measuring each subject in child processes, which handle many
// operations at the same time. The service runs in this process.
func crowdLine(t *testing.T, l line, take func(subject string) (figures, *fleetService)) line {
	t.Helper()
	l.metrics = []metric{
		{name: "CPU", write: unit("%.1f s")}, {name: "memory", write: unit("%.0f MB", 1e6)}, {name: "connections", write: unit("%.0f connections")},
	}
	return inProcesses(t, l, min(*rounds, 3), []string{"cpu", "memory", "connections"}, crowdSubjects, func(subject string) figures {
		f, s := take(subject)
		s.check(t, subject)
		f["connections"] = float64(s.conns.Load())
		return f
	})
}

// beginManyLine measures concurrent calls to Begin, each followed by PollUntilDone. It measures
// only lro, because the default clients of azcore and net/http would open 10,000 connections.
func beginManyLine(t *testing.T) line {
	t.Helper()
	const ops, polls = 10_000, 3
	l := line{key: "beginMany", name: "10,000 pairs of Begin and PollUntilDone at the same time, with 3 requests each, over loopback HTTP", metrics: []metric{
		{write: unit("%.1f s")}, {write: unit("%.0f MB", 1e6)}, {write: unit("%.0f connections")},
	}}
	return inProcesses(t, l, min(*rounds, 3), []string{"cpu", "memory", "connections"}, []string{lro}, func(subject string) figures {
		s := newFleetService(t, ops, polls)
		defer s.Close()
		f := inChild(t, order{Measure: "beginMany", Subject: subject, Base: s.URL, Ops: ops})
		s.check(t, subject)
		f["connections"] = float64(s.conns.Load())
		return f
	})
}

func burstLine(t *testing.T) line {
	t.Helper()
	const ops = 10_000
	l := line{key: "burst", name: "10,000 operations started at the same time, over loopback HTTP"}
	return crowdLine(t, l, func(subject string) (figures, *fleetService) {
		s := newFleetService(t, ops, 1)
		defer s.Close()
		return inChild(t, order{Measure: "burst", Subject: subject, Base: s.URL, Ops: ops}), s
	})
}

// blockingLine measures concurrent calls to PollUntilDone. SSL_CERT_FILE makes the child processes
// trust the service's certificate.
func blockingLine(t *testing.T) line {
	t.Helper()
	const ops, polls = 2000, 3
	l := line{key: "blocking", name: "2,000 calls to PollUntilDone at the same time, with 3 polls each, over HTTP/2"}
	return crowdLine(t, l, func(subject string) (figures, *fleetService) {
		s, certFile := newHTTP2Service(t, ops, polls)
		defer s.Close()
		return inChild(t, order{Measure: "blocking", Subject: subject, Base: s.URL, Ops: ops}, "SSL_CERT_FILE="+certFile), s
	})
}
