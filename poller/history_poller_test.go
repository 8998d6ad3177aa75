package poller_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// progress is a service with one operation, which advances one step with each successful read of
// its status.
type progress struct {
	mu       sync.Mutex
	rand     *rand.Rand
	steps    int // the step at which the operation ends
	end      string
	reached  int
	answered int // how many reads of the status the service has answered
	canceled bool
}

func (s *progress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	takes := time.Duration(s.rand.Int64N(20e9)) // a random number of nanoseconds, so that no response arrives exactly at a deadline
	s.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	s.mu.Lock()
	text := s.answer(r.Method + " " + r.URL.Path)
	s.mu.Unlock()
	write(w, text)
}

func (s *progress) answer(what string) reply {
	switch what {
	case "PUT " + resource:
		return accepted
	case get(resource):
		if s.rand.IntN(4) == 0 {
			return "503"
		}
		return widget
	case "POST /cancel":
		s.canceled = true
		return "202"
	}
	s.answered++
	if s.rand.IntN(5) == 0 {
		return "503"
	}
	if s.reached == s.steps {
		return `200 {"status":"` + s.end + `"}`
	}
	if s.reached++; s.reached == s.steps {
		if s.canceled {
			s.end = "Canceled"
		}
		return `200 {"status":"` + s.end + `"}`
	}
	return fmt.Sprintf(`200 {"status":"Step%d"}`, s.reached)
}

// A diary is a slog.Handler that collects the progress from the log records of status reads. It
// also keeps the history of the calls.
type diary struct {
	history
	slog.Handler
	logged sync.Mutex
	reads  []int
}

func (d *diary) Enabled(context.Context, slog.Level) bool { return true }

func (d *diary) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "lro: poll" {
		return nil
	}
	var st poller.Status
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "state":
			st.State = poller.State(a.Value.String())
		case "word":
			st.Word = a.Value.String()
		}
		return true
	})
	d.logged.Lock()
	defer d.logged.Unlock()
	d.reads = append(d.reads, stateOf(st).least)
	return nil
}

// since returns the progress in all log records except the first n.
func (d *diary) since(n int) []int {
	d.logged.Lock()
	defer d.logged.Unlock()
	return d.reads[n:]
}

// stateOf returns what a status shows about the operation.
func stateOf(st poller.Status) observation {
	switch {
	case st.State.Terminal():
		return observationOf(far, string(st.State))
	case st.Word == "":
		return observationOf(0, "")
	}
	n, err := strconv.Atoi(strings.TrimPrefix(st.Word, "Step"))
	if err != nil {
		panic(err)
	}
	return observationOf(n, "")
}

// endOf returns what the return values of PollUntilDone or Result show about the operation.
func endOf(v raw, err error) observation {
	failed, isFailed := errors.AsType[*lroerrors.OperationError](err)
	wait, waited := errors.AsType[*lroerrors.WaitError](err)
	_, unread := errors.AsType[*lroerrors.ResultError](err)
	_, failedRead := err.(*lroerrors.StatusError) //nolint:errorlint // Result returns an unwrapped StatusError if the read of the result failed
	switch {
	case err == nil && string(v) == strings.TrimPrefix(widget, "200 "), unread:
		return observationOf(far, "Succeeded")
	case failedRead:
		return observationOf(far, "Succeeded")
	case isFailed:
		return observationOf(far, string(failed.State))
	case waited && wait.State == "Succeeded":
		return observationOf(far, string(wait.State))
	case waited, errors.Is(err, lroerrors.ErrNotDone):
		return observation{most: far - 1}
	}
	panic(fmt.Sprintf("%s, %v is no outcome", v, err))
}

// calls maps the name of each method to a function that calls the method and returns what the call
// observed.
var calls = map[string]func(ctx context.Context, p *poller.Poller[raw], d *diary) observation{
	"Poll": func(ctx context.Context, p *poller.Poller[raw], d *diary) observation {
		before := len(d.since(0))
		st, err := p.Poll(ctx)
		s := stateOf(st)
		if since := d.since(before); err == nil && s.end == "" && (len(since) == 0 || s.least < since[0]) {
			panic(fmt.Sprintf("Poll returned %v, but the reads since the call reported %v", st, since))
		}
		return s
	},
	"PollUntilDone": func(ctx context.Context, p *poller.Poller[raw], _ *diary) observation {
		return endOf(p.PollUntilDone(ctx))
	},
	"Result": func(ctx context.Context, p *poller.Poller[raw], _ *diary) observation { return endOf(p.Result(ctx)) },
	"Status": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation { return stateOf(p.Status()) },
	"Updates": func(ctx context.Context, p *poller.Poller[raw], d *diary) (s observation) {
		n := 0
		for st, err := range p.Updates(ctx) {
			if err != nil {
				_ = endOf(nil, err)
			}
			d.record("an update", func() observation { return observation{least: stateOf(st).least, most: far} })
			if s = stateOf(st); n == 2 {
				break
			}
			n++
		}
		s.most = far // the operation may have advanced while the loop body ran
		return s
	},
	"Done": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		if p.Done() {
			return observation{least: far, most: far}
		}
		return observation{most: far - 1}
	},
	"NextPoll": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		if p.NextPoll().IsZero() {
			return observation{least: far, most: far}
		}
		return unseen // the operation may have ended, because NextPoll becomes zero only once the result has been read
	},
	"ResumeToken": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		token, err := p.ResumeToken()
		if err != nil {
			panic(err)
		}
		again, err := poller.Resume[raw](token, nil, &poller.Options{Origins: []string{origin}})
		if err != nil {
			panic(err)
		}
		return stateOf(again.Status())
	},
	"String": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		if s := p.String(); !strings.Contains(s, "InProgress") {
			return observation{least: far, most: far}
		}
		return observation{most: far - 1}
	},
	"ResultURL": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		if p.ResultURL() != "" {
			return observationOf(far, "Succeeded")
		}
		return unseen
	},
	"WakeUp": func(_ context.Context, p *poller.Poller[raw], _ *diary) observation {
		p.WakeUp()
		return unseen
	},
	"Cancel": func(ctx context.Context, p *poller.Poller[raw], _ *diary) observation {
		_ = p.Cancel(ctx)
		return unseen
	},
}

// Goroutines and groups that share a Poller observe a linearizable history. The log has one record
// for each read that the service answered.
func TestPollerIsLinearizable(t *testing.T) {
	for seed := range uint64(40) {
		bubble(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := &progress{rand: rand.New(rand.NewPCG(seed, 2)), steps: 1 + r.IntN(9), end: []string{"Succeeded", "Failed"}[r.IntN(2)]}
			d := &diary{Handler: slog.DiscardHandler}
			p := beginAt(t, s, "PUT", &poller.Options{
				Logger:        slog.New(d),
				CancelRequest: func(poller.Status) (*poller.Request, error) { return &poller.Request{URL: "/cancel"}, nil },
			})
			var wg sync.WaitGroup
			for g := range 6 {
				wg.Go(func() { actAtRandom(t.Context(), rand.New(rand.NewPCG(seed, uint64(g+3))), p, d) })
			}
			for range 2 {
				wg.Go(func() { groupAtRandom(t.Context(), p, d) })
			}
			wg.Wait()
			d.record("the end", func() observation { return endOf(p.PollUntilDone(t.Context())) })
			require.NoError(t, d.check(), "seed %d", seed)
			require.Len(t, d.reads, s.answered, "seed %d", seed)
			require.Greater(t, len(d.seen), 60)
		})
	}
}

// actAtRandom makes random calls with random pauses. A call's context may end during the call.
func actAtRandom(ctx context.Context, r *rand.Rand, p *poller.Poller[raw], d *diary) {
	names := []string{
		"Poll", "Poll", "PollUntilDone", "Result", "Status", "Updates", "Done", "NextPoll", "ResumeToken", "String", "ResultURL", "WakeUp",
	}
	for range 10 {
		name := names[r.IntN(len(names))]
		if r.IntN(40) == 0 {
			name = "Cancel"
		}
		ctx, cancel := context.WithTimeout(ctx, time.Duration(1+r.IntN(100))*time.Second)
		d.record(name, func() observation { return calls[name](ctx, p, d) })
		cancel()
		time.Sleep(time.Duration(r.IntN(30)) * time.Second)
	}
}

// groupAtRandom waits for p in a group. During the wait, it removes p once and adds it again.
func groupAtRandom(ctx context.Context, p *poller.Poller[raw], d *diary) {
	var g poller.Group[*poller.Poller[raw]]
	time.AfterFunc(100*time.Second, func() { g.Remove(p) })
	time.AfterFunc(150*time.Second, func() {
		g.Add(p)
		g.Close()
	})
	g.Add(p)
	d.record("Wait", func() observation {
		for _, err := range g.Wait(ctx) {
			v, resultErr := p.Result(ctx)
			if (err == nil) != (resultErr == nil) {
				panic(fmt.Sprintf("%v and %v are two outcomes", err, resultErr))
			}
			return endOf(v, err)
		}
		return unseen
	})
}
