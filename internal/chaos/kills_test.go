package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// drawForKills draws the operation with the given index. TestProcessesAreKilled and the processes
// that it starts must draw the same operations.
func drawForKills(seed uint64, index int) *operation { return draw(seed+1_000_000, index) }

// Processes are killed at random requests, and new processes resume from the stored tokens. Each
// operation ends exactly once, as its service decided. The service may start an operation again
// only if an answer was lost, or if a process was killed before it stored the token.
func TestProcessesAreKilled(t *testing.T) {
	seed, start := newSeed(t), time.Now()
	f, err := newFront(newWorldOf(func(i int) *operation { return drawForKills(seed, i) }, *killed), seed)
	require.NoError(t, err)
	defer f.server.Close()
	k := &killer{f: f, rand: rand.New(rand.NewPCG(seed, 1<<41)), order: order{URL: f.url(), Dir: t.TempDir(), Seed: seed, Operations: *killed}, lost: map[*operation]int{}, started: map[*operation]bool{}}
	f.before, f.after = k.before, k.after
	f.serve()
	ctx, cancel := context.WithTimeout(t.Context(), *limit)
	defer cancel()
	for k.run(t, ctx) {
		k.look()
	}
	complaints := k.judge()
	t.Log(figures(f.tally, start))
	require.Empty(t, strings.Join(complaints, "\n"))
	require.Positive(t, f.tally.counted("processes killed"))
}

// A killer kills the running process after a random number of requests.
type killer struct {
	f     *front
	order order
	rand  *rand.Rand

	mu        sync.Mutex
	left      int  // how many requests remain before the kill
	atBegin   bool // kill right after a request that started an operation
	afterward bool // kill after, not before, the service handles a request
	process   *exec.Cmd
	gone      chan struct{}       // closed when the process has ended
	lost      map[*operation]int  // how many processes were killed between storing the intent and storing a token
	started   map[*operation]bool // for each operation in the map lost, whether the service had accepted it
}

// run starts a process, waits for it to end, and reports whether it was killed.
func (k *killer) run(t *testing.T, ctx context.Context) bool {
	t.Helper()
	text, err := json.Marshal(k.order)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	var stderr strings.Builder
	process := exec.CommandContext(ctx, self)
	process.Env = append(os.Environ(), workerEnv+"="+string(text))
	process.Stderr = &stderr
	k.mu.Lock()
	require.NoError(t, process.Start())
	k.process, k.gone = process, make(chan struct{})
	k.left = 5 + k.rand.IntN(50)
	k.atBegin, k.afterward = k.rand.IntN(3) == 0, k.rand.IntN(2) == 0
	k.mu.Unlock()
	err = process.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.process = nil
	close(k.gone)
	require.NoError(t, ctx.Err(), stderr.String())
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() {
		return true
	}
	require.NoError(t, err, stderr.String())
	return false
}

func (k *killer) before(*request) {
	k.killIfDue(func() bool {
		k.left--
		return k.left <= 0 && !k.atBegin && !k.afterward
	})
}

func (k *killer) after(x *request) {
	k.killIfDue(func() bool {
		switch {
		case k.left > 0:
			return false
		case k.atBegin:
			return x.begins || k.left < -40 // kill anyway after 40 more requests, in case no operation is left to start
		}
		return k.afterward
	})
}

// killIfDue kills the process if due returns true, and waits for the process to end. In that case,
// the current request gets no answer.
func (k *killer) killIfDue(due func() bool) {
	k.mu.Lock()
	if k.process == nil || !due() {
		k.mu.Unlock()
		return
	}
	gone := k.gone
	if err := k.process.Process.Kill(); err == nil {
		k.f.tally.count("processes killed")
	}
	k.process = nil
	k.mu.Unlock()
	<-gone
	panic(http.ErrAbortHandler)
}

// look finds the operations that the killed process left unfinished, and updates the killer and the
// tally.
func (k *killer) look() {
	records, _ := k.f.world.records()
	for _, op := range k.f.world.operations {
		_, noIntent := k.order.load(op, intent)
		_, noToken := k.order.load(op, token)
		_, noEnding := k.order.load(op, ending)
		rec := records[op.name]
		switch {
		case noEnding == nil:
		case noToken == nil:
			k.f.tally.count("tokens resumed by another process")
		case noIntent == nil:
			k.lost[op]++ // the service may or may not have received the request
			k.started[op] = k.started[op] || rec != nil && len(rec.Started) > 0
		}
	}
}

// judge compares the outcomes in the processes' files with the services' records.
func (k *killer) judge() []string {
	seen := map[*operation][]outcome{}
	for _, op := range k.f.world.operations {
		text, err := k.order.load(op, ending)
		var o outcome
		if err == nil && json.Unmarshal([]byte(text), &o) == nil {
			seen[op] = []outcome{o}
		}
		k.f.addUnanswered(op, k.lost[op])
	}
	for _, accepted := range k.started {
		k.f.tally.count("operations whose process was killed before it stored their first token")
		if accepted {
			k.f.tally.count("operations whose process was killed before it stored their first token, but after the service accepted them")
		}
	}
	return judge(k.f, seen)
}
