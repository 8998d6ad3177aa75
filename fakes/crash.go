package fakes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
)

// Crashes tests that a program survives a crash at any point. The points are before and after each
// request that the program sends, and before and after each write to its store.
//
// Crashes first calls the function play with t and lets the program run without a crash, to find
// the points. It then calls the function in one subtest for each point, with a name such as "after
// PUT /widgets/w1", "before GET /widgets/w1 (2)" or "after write 1". In each call, the function
// must create a new service and an empty store, call [Crash.Run] once with the program, and then
// check how many operations the service has started and what the store contains.
//
// T is usually *testing.T. To run the program in a testing/synctest bubble, start the bubble in the
// function play. Outside a bubble, use short pauses. Either way, the program must reach the same
// points in each call. Set the Duration of each operation's [Plan], so that the operation takes the
// same time no matter when the program polls.
//
// Crashes does not show what happens
//
//   - if the program crashes twice, or in the middle of a write;
//   - if the old process keeps running alongside its successor, for example after the machine was
//     suspended;
//   - to anything that the program changes without its [Process], such as a file or a global
//     variable.
func Crashes[T interface {
	Run(name string, f func(T)) bool
}](t T, play func(t T, crash *Crash),
) {
	complete := &Crash{}
	play(t, complete)
	if complete.process == nil {
		panic("fakes: play did not call Crash.Run")
	}
	for _, point := range complete.process.points {
		t.Run(point, func(t T) { play(t, &Crash{point: point}) })
	}
}

// A Crash runs a program and makes it crash at most once.
type Crash struct {
	point   string   // where the program crashes; "" if it does not crash
	process *Process // the first process
}

// Run calls program, which must return once all its work is done. If the program crashes, Run calls
// it again right away, with a new [Process] that does not crash. Each call must create everything
// the program keeps in memory, such as its client. Only the service and the store survive a crash.
//
// A crash cancels the program's context. If the goroutine that Run started for program reaches the
// point of the crash, it ends there with [runtime.Goexit]. If any other goroutine reaches that
// point, its request or write returns an error, and program must return soon after its context
// ends. After the crash, no request of the Process reaches the service, and no write reaches the
// store. Deferred functions still run, and should release the locks of the store.
//
// Run returns the error from the last call to program. If the program never reaches the point of
// the crash, Run returns an error, because the test proved nothing. If program ends its goroutine,
// as t.FailNow does, Run ends its caller's goroutine.
func (c *Crash) Run(ctx context.Context, program func(ctx context.Context, p *Process) error) error {
	if c.process != nil {
		panic("fakes: second call of Crash.Run")
	}
	c.process = newProcess(c.point)
	err := c.process.run(ctx, program)
	if c.process.crashed {
		return newProcess("").run(ctx, program)
	}
	if err == nil && c.point != "" {
		return fmt.Errorf("fakes: the program has ended without reaching the point %q", c.point)
	}
	return err
}

// errCrashed is the error that requests and writes return once their process has crashed or ended.
var errCrashed = errors.New("fakes: the process has crashed")

// A Process is one run of a program, from its start until it returns or crashes. It is safe for
// concurrent use.
type Process struct {
	crashAt   string                  // the point at which the program crashes; "" if it does not crash
	goroutine string                  // the ID of the goroutine that runs the program
	cancel    context.CancelCauseFunc // cancels the program's context

	mu      sync.Mutex
	counts  map[string]int // the number of requests or writes so far, by name
	points  []string       // the points that the program has reached
	crashed bool
	ended   bool // whether the program's goroutine has ended
}

func newProcess(crashAt string) *Process {
	return &Process{crashAt: crashAt, counts: map[string]int{}}
}

// Transport returns an [http.RoundTripper] that passes this process's requests to base, such as a
// [Transport]. If the process crashes before a request, the service never receives the request. If
// the process crashes after a request, the service has answered, but the response is lost.
//
// Each retry and each redirect is a separate request.
func (p *Process) Transport(base http.RoundTripper) http.RoundTripper {
	return &crashTransport{process: p, base: base}
}

// Write calls the function do, which makes one atomic write to the store, and returns its error. If
// the process crashes before the write, Write does not call the function. If it crashes after the
// write, the function has run, but the program does not get its error.
func (p *Process) Write(do func() error) error {
	name := fmt.Sprintf("write %d", p.count("write"))
	if !p.survives("before " + name) {
		return p.stop()
	}
	err := do()
	if !p.survives("after " + name) {
		return p.stop()
	}
	return err
}

// A crashTransport is the transport that Process.Transport returns.
type crashTransport struct {
	process *Process
	base    http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (m *crashTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	name := m.process.nameOf(req)
	if !m.process.survives("before " + name) {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, m.process.stop()
	}
	resp, err := m.base.RoundTrip(req)
	if !m.process.survives("after " + name) {
		if resp != nil {
			resp.Body.Close()
		}
		return nil, m.process.stop()
	}
	return resp, err
}

// nameOf counts req and returns a unique name for it, such as "PUT /widgets/w1" or, for a repeated
// request, "PUT /widgets/w1 (2)".
func (p *Process) nameOf(req *http.Request) string {
	name := cmp.Or(req.Method, http.MethodGet) + " " + req.URL.Path
	n := p.count(name)
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d)", name, n)
}

// count increments the number of requests or writes with this name and returns it.
func (p *Process) count(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[name]++
	return p.counts[name]
}

// survives records that the program has reached a point, and reports whether the process continues
// past that point.
func (p *Process) survives(point string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.crashed || p.ended {
		return false
	}
	p.points = append(p.points, point)
	if point == p.crashAt {
		p.crashed = true
		p.cancel(errCrashed)
	}
	return !p.crashed
}

// stop ends the calling goroutine if the program runs in it. Otherwise stop returns an error, because
// the program may be waiting for the goroutine.
func (p *Process) stop() error {
	if goroutineID() == p.goroutine {
		runtime.Goexit()
	}
	return errCrashed
}

// run calls program in a new goroutine and waits for the goroutine to end.
func (p *Process) run(ctx context.Context, program func(context.Context, *Process) error) (err error) {
	ctx, p.cancel = context.WithCancelCause(ctx)
	defer p.cancel(nil)
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.goroutine = goroutineID()
		err = program(ctx, p)
		returned = true
	}()
	<-done

	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if !returned && !p.crashed {
		runtime.Goexit() // the program has ended its own goroutine, so end the caller's too
	}
	return err
}

// goroutineID returns the ID of the calling goroutine. The ID is the second word of a stack trace,
// such as 7 in "goroutine 7 [running]:".
func goroutineID() string {
	trace := make([]byte, 64)
	trace = trace[:runtime.Stack(trace, false)]
	return strings.Fields(string(trace))[1]
}
