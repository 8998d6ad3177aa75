package bench

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
)

// table formats the lines as a Markdown table.
func table(lines []line) string {
	var b strings.Builder
	b.WriteString("| measure | lro | azcore | hashicorp | floor | lro ÷ azcore | aim | |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s |", l.name)
		for _, subject := range subjects {
			fmt.Fprintf(&b, " %s |", l.cell(subject))
		}
		a := aims[l.key]
		verdict := "not yet"
		if a.met(l) {
			verdict = "**reached**"
		}
		fmt.Fprintf(&b, " %s | %s | %s |\n", l.ratios(), a.text, verdict)
	}
	return b.String()
}

func (l line) cell(subject string) string {
	var cells []string
	for _, m := range l.metrics {
		if v, ok := m.of[subject]; ok {
			cells = append(cells, m.write(v))
		}
	}
	if len(cells) == 0 {
		return "–"
	}
	return strings.Join(cells, ", ")
}

func (l line) ratios() string {
	var all []string
	for _, m := range l.metrics {
		if m.name != "" && m.of[azcore] > 0 {
			all = append(all, fmt.Sprintf("%.2f %s", m.toAzcore(lro), m.name))
		}
	}
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, ", ")
}

// listingTable measures the listings and returns a table that compares the libraries with two
// hand-written loops.
func listingTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| | µs per page | × bare | × bareUnmarshal | × azcore | bytes per page | × azcore |\n|---|---|---|---|---|---|---|\n")
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(t, sized, pages)}
		of := runners{}
		var names []string
		for _, r := range readers {
			of[r.name], names = listing(t, r.read, client), append(names, r.name)
		}
		got := measure(t, names, of, *rounds, 1)
		for _, name := range names {
			r, title := got[name], name+", sized"
			if !sized {
				title = name + ", not sized"
			}
			if name == lro {
				title = "**" + title + "**"
			}
			fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %.2f | %.0f | %.2f |\n", title, r.nanos()/1e3/pages,
				r.over(got["bare"]), r.over(got["bareUnmarshal"]), r.over(got[azcore]), r.bytes/pages, r.bytes/got[azcore].bytes)
		}
	}
	return b.String()
}

// machine returns the README's sentence about the processor, the system, the Go version and the
// number of rounds.
func machine() string {
	cpu := runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo")
	for l := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(l, "model name"); ok {
			cpu = strings.Trim(name, " \t:\n")
			break
		}
	}
	return fmt.Sprintf("Measured on %d cores of %s, %s, Go %s, %d rounds.\n",
		runtime.GOMAXPROCS(0), cpu, runtime.GOOS, strings.TrimPrefix(runtime.Version(), "go"), *rounds)
}
