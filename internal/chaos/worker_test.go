package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/poller"
)

// workerEnv is the environment variable that passes the order to a worker process, which runs this
// test binary.
const workerEnv = "LRO_CHAOS_WORKER"

// An order specifies which operations a worker follows and where it stores its files.
type order struct {
	URL, Dir   string
	Seed       uint64
	Operations int
}

// A worker follows each operation to its end and stores everything that another worker needs to
// continue.
type worker struct {
	order
	caller *caller
}

// For each operation, a worker stores these kinds of files in order.Dir.
const (
	intent = "intent" // stored before the worker sends the request that starts the operation
	token  = "token"
	ending = "ending"
)

// workerAtOnce is the number of operations that a worker follows concurrently.
const workerAtOnce = 16

// work is the main function of a worker process. It returns the exit code.
func work(text string) int {
	w := worker{caller: &caller{tally: newTally()}}
	if err := json.Unmarshal([]byte(text), &w.order); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	w.caller.url, w.caller.client = w.URL, clients(newTracker())[0]
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var followers sync.WaitGroup
	var failed sync.Map
	var next atomic.Int64
	for range workerAtOnce {
		followers.Go(func() {
			for i := int(next.Add(1)) - 1; i < w.Operations; i = int(next.Add(1)) - 1 {
				if err := w.one(ctx, drawForKills(w.Seed, i)); err != nil {
					failed.Store(i, err)
				}
			}
		})
	}
	followers.Wait()
	code := 0
	failed.Range(func(i, err any) bool {
		fmt.Fprintln(os.Stderr, i, err)
		code = 1
		return true
	})
	return code
}

// one continues an operation where the previous worker stopped, and follows it to its end.
func (w *worker) one(ctx context.Context, op *operation) error {
	if _, err := w.load(op, ending); err == nil {
		return nil
	}
	p, err := w.resumeOrBegin(ctx, op)
	if err != nil {
		return w.store(op, ending, string(outcomeOf(op, thing{}, err).text()))
	}
	for {
		v, over, err := turn(ctx, p)
		switch {
		case isWait(err):
			return err
		case over:
			return w.store(op, ending, string(outcomeOf(op, v, err).text()))
		}
		if err := w.storeToken(op, p); err != nil {
			return err
		}
	}
}

// resumeOrBegin resumes an operation from its token or, without a token, starts it.
func (w *worker) resumeOrBegin(ctx context.Context, op *operation) (*thingPoller, error) {
	if text, err := w.load(op, token); err == nil {
		return poller.Resume[thing](text, w.caller.client, w.caller.options(op))
	}
	if err := w.store(op, intent, op.name); err != nil {
		return nil, err
	}
	p, err := w.caller.begin(ctx, op)
	if err != nil {
		return nil, err
	}
	return p, w.storeToken(op, p) // store the token right away, so that a later kill cannot lose it
}

func (w *worker) storeToken(op *operation, p *thingPoller) error {
	text, err := p.ResumeToken()
	if err != nil {
		return err
	}
	return w.store(op, token, text)
}

// store writes a file atomically. After a kill, the file is either complete or unchanged.
func (o order) store(op *operation, kind, text string) error {
	half := o.file(op, "half-"+kind)
	if err := os.WriteFile(half, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(half, o.file(op, kind))
}

func (o order) load(op *operation, kind string) (string, error) {
	text, err := os.ReadFile(o.file(op, kind))
	return string(text), err
}

func (o order) file(op *operation, kind string) string {
	return filepath.Join(o.Dir, op.name+"."+kind)
}
