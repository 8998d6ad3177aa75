package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A child process reads its order from the environment variable childEnv and prints childMark
// before its figures.
const childEnv, childMark = "LRO_BENCH_CHILD", "figures of the child: "

// An order specifies what a child process measures.
type order struct {
	Measure, Subject string
	Base             string // URL of the service; "" if it is in memory
	Ops, Polls       int
	Rounds           int // rounds in which the subjects take turns; for the measure "throttled", seconds
}

// figures are the measurements of a child process, by name.
type figures map[string]float64

var children = map[string]func(testing.TB, order) figures{
	"waiting":   waiting,
	"fleet":     fleet,
	"simulated": simulated,
	"default":   byDefault,
	"burst":     burst,
	"blocking":  blocking,
	"throttled": throttledProcess,
	"beginMany": beginMany,
}

// inChild runs an order in a child process, with env added to its environment, and returns the
// figures that it prints.
func inChild(tb testing.TB, o order, env ...string) figures {
	tb.Helper()
	raw, err := json.Marshal(o)
	must(tb, err)
	self, err := os.Executable()
	must(tb, err)
	cmd := exec.CommandContext(tb.Context(), self, "-test.run=^TestChild$", "-test.timeout=3h")
	cmd.Env = append(append(os.Environ(), childEnv+"="+string(raw)), env...)
	out, err := cmd.CombinedOutput()
	_, after, found := bytes.Cut(out, []byte(childMark))
	if err != nil || !found {
		tb.Fatalf("%s of %s: %v\n%.2000s", o.Measure, o.Subject, err, out)
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	var f figures
	must(tb, json.Unmarshal(line, &f))
	return f
}

func TestChild(t *testing.T) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		t.Skip("started by inChild only")
	}
	var o order
	must(t, json.Unmarshal([]byte(raw), &o))
	report(t, children[o.Measure](t, o))
}

// report prints this process's figures and exits without waiting for running goroutines.
func report(tb testing.TB, f figures) {
	tb.Helper()
	out, err := json.Marshal(f)
	must(tb, err)
	fmt.Println(childMark + string(out))
	os.Exit(0)
}

// cpu returns the sum of this process's user and system time.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	must(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory returns this process's peak resident memory. Outside Linux, it returns the memory that
// Go obtained from the system. It avoids getrusage, because a child inherits ru_maxrss.
func peakMemory(tb testing.TB) float64 {
	tb.Helper()
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			must(tb, err)
			return kB * 1024
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys)
}
