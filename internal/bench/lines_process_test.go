package bench

import "testing"

// inProcesses fills in a line by measuring the subjects in turn, each time in a new process. Each
// figure is the median over a subject's processes.
func inProcesses(t *testing.T, l line, times int, keys, names []string, take func(subject string) figures) line {
	t.Helper()
	seen := map[string][]figures{}
	for range times {
		for _, name := range names {
			seen[name] = append(seen[name], take(name))
		}
	}
	for i, key := range keys {
		l.metrics[i].of = map[string]float64{}
		for name, all := range seen {
			var of []float64
			for _, f := range all {
				of = append(of, f[key])
			}
			l.metrics[i].of[name] = median(of)
		}
	}
	return l
}

// waitingLine measures the cost of one waiting operation. The cost does not depend on how many
// operations there are, so the peers, which start operations slowly, follow fewer.
func waitingLine(t *testing.T) line {
	t.Helper()
	l := line{key: "waiting", name: "one of 100,000 waiting operations (peers: one of 2,000)", metrics: []metric{
		{name: "memory", write: kB}, {write: unit("%.0f goroutines")},
	}}
	return inProcesses(t, l, min(*rounds, 3), []string{"bytes", "goroutines"}, subjects, func(subject string) figures {
		ops := 100_000
		if subject == azcore || subject == hashicorp {
			ops = 2000
		}
		return inChild(t, order{Measure: "waiting", Subject: subject, Ops: ops})
	})
}

// fleetLines returns two lines. In the first, azcore uses its default transport and go-azure-sdk is
// missing. In the second, both peers use tuned transports.
func fleetLines(t *testing.T) []line {
	t.Helper()
	const ops, polls = 10_000, 5
	l := line{key: "fleet", name: "a fleet of 10,000 operations with 5 polls each, over loopback HTTP", metrics: []metric{
		{name: "CPU", write: unit("%.1f s")}, {name: "memory", write: unit("%.0f MB", 1e6)}, {name: "connections", write: unit("%.0f connections")},
	}}
	l = inProcesses(t, l, min(*rounds, 3), []string{"cpu", "memory", "connections"}, fleetSubjects, func(subject string) figures {
		s := newFleetService(t, ops, polls)
		defer s.Close()
		f := inChild(t, order{Measure: "fleet", Subject: subject, Base: s.URL, Ops: ops, Polls: polls})
		s.check(t, subject)
		f["connections"] = float64(s.conns.Load())
		return f
	})
	tuned := line{key: "fleet, peers tuned", name: "the same fleet, but each peer uses one tuned transport"}
	for _, m := range l.metrics {
		m.of = map[string]float64{lro: m.of[lro], azcore: m.of[azcoreTuned], hashicorp: m.of[hashicorpTuned], floor: m.of[floor]}
		tuned.metrics = append(tuned.metrics, m)
	}
	return []line{l, tuned}
}

// simulatedLine measures the CPU time per poll when operations run in simulated time. It measures
// each subject only once, because following a million operations takes several minutes.
func simulatedLine(t *testing.T) line {
	t.Helper()
	l := line{key: "simulated", name: "1,000,000 operations together, with 3 polls each, in simulated time: CPU time per poll", metrics: []metric{
		{write: micros}, {write: unit("at 1,000 operations %.1f µs", 1e3)},
	}}
	return inProcesses(t, l, 1, []string{"many", "few"}, []string{lro, floor}, func(subject string) figures {
		f := figures{}
		for key, ops := range map[string]int{"many": 1_000_000, "few": 1000} {
			f[key] = inChild(t, order{Measure: "simulated", Subject: subject, Ops: ops, Polls: 3})["nanos"]
		}
		return f
	})
}
