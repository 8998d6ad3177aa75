package bench

import (
	"math"
	"testing"
)

// defaultLines compare the default clients, which take turns in one process.
func defaultLines(t *testing.T) []line {
	t.Helper()
	s := newFleetService(t, 1, math.MaxInt32)
	defer s.Close()
	return []line{
		defaultLine(t, "default", "one poll, default client", order{Subject: "poll", Ops: 10_000}),
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
	return line{key, name, name + ": CPU, allocations, bytes", []metric{
		{name: "CPU", write: micros, of: of("cpu"), ratioOf: of("ratio")},
		{name: "allocs", write: unit("%.0f allocs"), of: of("allocs")},
		{write: kB, of: of("bytes")},
	}}
}
