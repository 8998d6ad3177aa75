package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

const (
	correlation = "X-Ms-Correlation-Request-Id" // identifies the operation; sent with each of its requests
	repeatable  = "Repeatability-Request-Id"    // sent with a request that can safely be repeated (OASIS Repeatable Requests)
)

// A front is a server that stands in front of a world's services and injects faults. The seed, the
// operation and the request's number determine which fault, if any, the front chooses for a
// request.
type front struct {
	world    *world
	seed     uint64
	listener *listener
	server   *http.Server
	tally    *tally
	restarts []int // request counts at which the server restarts, in ascending order
	faultOf  func(x *request) (do func(x *request) string, harmless bool)

	// The front calls these functions before and after the service handles a request. Only the test
	// that kills processes sets them.
	before, after func(x *request)

	mu    sync.Mutex
	total int
	lives map[*operation]*life
}

// A life is an operation's history, as the front saw it.
type life struct {
	asking     sync.Mutex // held while the service handles a request, so that a repeated request waits for the first answer
	requests   int
	shown      map[string]answer // the last successful answer to a GET, by URL
	first      map[string]answer // the first answer to each repeatable request, by request ID; guarded by the mutex asking
	unanswered int               // how many requests to start the operation may not have received a complete answer
	startedOn  []*conn           // the connections that carried requests to start the operation
	history    []string          // how the front handled each request; printed if a check of the operation fails
}

func newFront(w *world, seed uint64, restarts ...int) (*front, error) {
	f := &front{world: w, seed: seed, tally: newTally(), restarts: restarts, faultOf: faultOf, lives: map[*operation]*life{}}
	for _, op := range w.operations {
		f.lives[op] = &life{shown: map[string]answer{}, first: map[string]answer{}}
	}
	var err error
	f.listener, err = listen(f.tally, func(nth int) bool {
		return rand.New(rand.NewPCG(seed, 1<<40+uint64(nth))).IntN(50) == 0
	})
	if err != nil {
		return nil, err
	}
	f.server = &http.Server{
		Handler:           f,
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	return f, nil
}

// serve starts answering requests. Tests must configure f before they call serve.
func (f *front) serve() {
	go f.server.Serve(f.listener) //nolint:errcheck // the error reports that the listener was closed
}

// connKey is the context key for a request's connection.
type connKey struct{}

func (f *front) url() string { return "http://" + f.listener.address }

// A request is an HTTP request that the front has received, with its response writer.
type request struct {
	f      *front
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
	op     *operation
	life   *life
	rand   *rand.Rand
	begins bool
	nth    int // the request's number among its operation's requests, from 1
	came   time.Time
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := f.receive(w, r)
	if x == nil {
		panic(http.ErrAbortHandler)
	}
	if f.due() {
		f.tally.fault("restart")
		f.listener.restart(time.Duration(20+x.rand.IntN(200)) * time.Millisecond)
		panic(http.ErrAbortHandler)
	}
	hit, harmless := f.faultOf(x)
	if x.begins && hit != nil && !harmless {
		f.addUnanswered(x.op, 1)
	}
	done := "nothing"
	defer func() { x.note(done) }() // also runs if the handler panics because the connection is gone
	if hit == nil {
		x.send(x.ask())
		return
	}
	done = "a fault"
	done = hit(x)
	f.tally.fault(done)
}

// addUnanswered counts n more requests to start op that may not have received a complete answer.
func (f *front) addUnanswered(op *operation, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lives[op].unanswered += n
}

// note records in the operation's history how the request was handled.
func (x *request) note(done string) {
	x.f.mu.Lock()
	defer x.f.mu.Unlock()
	x.life.history = append(x.life.history, fmt.Sprintf("%s %s %d: %s", x.came.Format("05.000"), x.r.Method, x.nth, done))
}

// receive reads a complete request and finds its operation. It returns nil if it cannot.
func (f *front) receive(w http.ResponseWriter, r *http.Request) *request {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total++
	op := f.world.byName[r.Header.Get(correlation)]
	if op == nil {
		f.tally.count("requests without an operation")
		return nil
	}
	f.tally.count("requests")
	life := f.lives[op]
	life.requests++
	x := &request{f: f, w: w, r: r, body: body, op: op, life: life, begins: r.Method != http.MethodGet, nth: life.requests, came: time.Now()}
	x.rand = rand.New(rand.NewPCG(f.seed, 1<<32+uint64(op.index)<<16+uint64(x.nth)))
	if x.begins {
		life.startedOn = append(life.startedOn, r.Context().Value(connKey{}).(*conn))
	}
	return x
}

// due reports whether it is time for the next restart. If so, it removes that restart from the
// list.
func (f *front) due() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.restarts) == 0 || f.total < f.restarts[0] {
		return false
	}
	f.restarts = f.restarts[1:]
	return true
}

// An answer is a response from the service.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// ask passes the request to the service and returns the answer. If the client repeats a repeatable
// request, it gets the first answer again.
func (x *request) ask() answer {
	if x.f.before != nil {
		x.f.before(x)
	}
	a := x.served()
	if x.f.after != nil {
		x.f.after(x)
	}
	return a
}

func (x *request) served() answer {
	x.life.asking.Lock()
	defer x.life.asking.Unlock()
	id := x.r.Header.Get(repeatable)
	if a, again := x.life.first[id]; again && id != "" {
		x.f.tally.count("repeated requests that got their first answer again")
		return a
	}
	a := x.serve()
	if id != "" {
		x.life.first[id] = a
	}
	return a
}

func (x *request) serve() answer {
	r := x.r.Clone(x.r.Context())
	r.Body = io.NopCloser(bytes.NewReader(x.body))
	to := httptest.NewRecorder()
	x.f.world.of[x.op].ServeHTTP(to, r)
	a := answer{to.Code, to.Header(), to.Body.Bytes()}
	x.f.mu.Lock()
	defer x.f.mu.Unlock()
	if x.r.Method == http.MethodGet && a.code < 300 {
		x.life.shown[x.r.URL.String()] = a
	}
	return a
}

// send writes the answer to the client as an ordinary server would.
func (x *request) send(a answer) {
	for name, values := range a.header {
		x.w.Header()[name] = slices.Clone(values)
	}
	x.w.WriteHeader(a.code)
	_, _ = x.w.Write(a.body) // ignore the error, because the client may be gone
}
