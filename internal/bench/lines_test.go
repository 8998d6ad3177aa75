package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A line of the table compares the subjects by one or more metrics.
type line struct {
	key     string // the line's key in the map aims
	name    string
	metrics []metric
}

// A metric has at most one figure for each subject.
type metric struct {
	name    string // the metric's name in the list of ratios to azcore; if empty, the list omits the metric
	write   func(float64) string
	of      map[string]float64
	ratioOf map[string]float64 // the ratios to azcore; if nil, computed from the figures
}

// toAzcore returns the ratio of lro's figure to azcore's for metric i.
func (l line) toAzcore(i int) float64 { return l.metrics[i].toAzcore(lro) }

func (m metric) toAzcore(subject string) float64 {
	if m.ratioOf != nil {
		return m.ratioOf[subject]
	}
	return m.of[subject] / m.of[azcore]
}

// timed measures the runners and returns a line with their times, allocations and bytes.
func timed(t *testing.T, key, name string, of runners) line {
	t.Helper()
	time := metric{name: "time", write: micros, of: map[string]float64{}, ratioOf: map[string]float64{}}
	allocs := metric{name: "allocs", write: unit("%.0f allocs"), of: map[string]float64{}}
	bytes := metric{write: kB, of: map[string]float64{}}
	readings := measure(t, subjects, of, *rounds, 2000)
	for subject, r := range readings {
		time.of[subject], time.ratioOf[subject] = r.nanos(), r.over(readings[azcore])
		allocs.of[subject], bytes.of[subject] = r.allocs, r.bytes
	}
	return line{key, name, []metric{time, allocs, bytes}}
}

func timedLines(t *testing.T) (all []line) {
	t.Helper()
	for _, s := range styles {
		all = append(all, timed(t, "poll/"+string(s), "one poll, "+string(s), polls(t, s)))
	}
	return append(
		all,
		timed(t, "client", "one poll, http.Client", clientPolls(t)),
		timed(t, "retrying", "one poll, retrying transport", retryingPolls(t)),
		timed(t, "begin", "begin from a response", begins(t)),
		timed(t, "resume", "resume from a token", resumes(t)),
	)
}

func resultLines(t *testing.T) []line {
	t.Helper()
	body := bigResource()
	return slices.Concat(resultLinesOf[template](t, body, "a struct"), resultLinesOf[json.RawMessage](t, body, "raw JSON"))
}

func resultLinesOf[T any](t *testing.T, body []byte, as string) (all []line) {
	t.Helper()
	for _, sized := range []bool{true, false} {
		name := map[bool]string{true: "", false: ", no Content-Length"}[sized]
		bytes := metric{name: "bytes", write: unit("%.1f"), of: map[string]float64{}}
		peak := metric{name: "peak", write: unit("peak %.1f"), of: map[string]float64{}}
		left := metric{name: "left", write: unit("left %.1f"), of: map[string]float64{}}
		for _, subject := range subjects {
			b, p, l := resultCost(t, func() resultReader { return resultReaders[T](t, big(body, sized))[subject] }, 5)
			bytes.of[subject], peak.of[subject], left.of[subject] = b/float64(len(body)), p/float64(len(body)), l/float64(len(body))
		}
		all = append(all, line{"result", fmt.Sprintf("a 4 MiB result as %s%s: bytes allocated, peak and left, each ÷ size of the body", as, name), []metric{bytes, peak, left}})
	}
	return all
}

func micros(nanos float64) string { return fmt.Sprintf("%.1f µs", nanos/1e3) }

func kB(bytes float64) string { return fmt.Sprintf("%.1f kB", bytes/1e3) }

// unit returns a function that divides a figure by the given numbers and formats it. If the number
// in the result is exactly 1, the function drops the plural s, as in "1 goroutine".
func unit(format string, of ...float64) func(float64) string {
	return func(v float64) string {
		for _, u := range of {
			v /= u
		}
		text := fmt.Sprintf(format, v)
		if strings.HasPrefix(text, "1 ") {
			return strings.TrimSuffix(text, "s")
		}
		return text
	}
}
