package fakes_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// started returns the number of operations that the service has started.
func started(svc *fakes.Service) (n int) {
	for _, req := range svc.Requests() {
		if req.Kind == fakes.Begin && req.Operation != "" {
			n++
		}
	}
	return n
}

// The worker from ExampleCrashes starts exactly one operation, no matter where it crashes.
func TestWorkerSurvivesCrashes(t *testing.T) {
	fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
		synctest.Test(t, func(t *testing.T) {
			svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour, RetryAfter: 24 * time.Hour}}
			var stored job
			err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
				w := &worker{
					client:  &http.Client{Transport: p.Transport(&fakes.Transport{Handler: svc})},
					options: poller.Options{Origins: []string{"https://a.test"}, Cadence: poller.Cadence{Max: 24 * time.Hour}},
					save:    func(j job) error { return p.Write(func() error { stored = j; return nil }) },
				}
				return w.work(ctx, stored)
			})
			require.NoError(t, err)
			require.Equal(t, 1, started(svc), "operations")
			require.True(t, stored.Ended)
		})
	})
}

// A script provides the steps of the programs below, whose bugs only a crash reveals.
type script struct {
	worker

	store map[string]string
	p     *fakes.Process
}

func (s *script) set(key, value string) error {
	return s.p.Write(func() error {
		s.store[key] = value
		return nil
	})
}

// put starts the operation and returns its resume token.
func (s *script) put(ctx context.Context) (string, error) {
	p, err := s.begin(ctx, http.MethodPut, &s.options)
	if err != nil {
		return "", err
	}
	return p.ResumeToken()
}

// read waits a minute and then polls the operation once.
func (s *script) read(ctx context.Context, token string) (poller.Step[struct{}], error) {
	time.Sleep(time.Minute)
	return poller.Advance[struct{}](ctx, token, s.client, &s.options)
}

// follow polls the operation until it ends, and stores each new token.
func (s *script) follow(ctx context.Context) error {
	for {
		step, err := s.read(ctx, s.store["token"])
		if err != nil || step.Done {
			return err
		}
		if err := s.set("token", step.Token); err != nil {
			return err
		}
	}
}

// withoutIntent starts and follows an operation. Its bug is that it stores nothing before it sends
// the request.
func withoutIntent(ctx context.Context, s *script) error {
	if s.store["end"] != "" {
		return nil
	}
	if s.store["token"] == "" {
		token, err := s.put(ctx)
		if err != nil {
			return err
		}
		if err := s.set("token", token); err != nil {
			return err
		}
	}
	if err := s.follow(ctx); err != nil {
		return err
	}
	return s.set("end", "Succeeded")
}

// lateToken starts and follows an operation. Its bug is that it polls once before it stores a
// token.
func lateToken(ctx context.Context, s *script) error {
	if s.store["end"] != "" {
		return nil
	}
	if s.store["token"] == "" {
		token, err := s.put(ctx)
		if err != nil {
			return err
		}
		step, err := s.read(ctx, token)
		if err != nil {
			return err
		}
		if err := s.set("token", step.Token); err != nil {
			return err
		}
	}
	if err := s.follow(ctx); err != nil {
		return err
	}
	return s.set("end", "Succeeded")
}

// earlyDelete starts and follows an operation. Its bug is that it clears the store before it
// records that the operation has ended.
func earlyDelete(ctx context.Context, s *script) error {
	if s.store["end"] != "" {
		return nil
	}
	j := job{Intent: s.store["intent"] != "", Token: s.store["token"]}
	if j.Token == "" {
		s.save = func(job) error { return s.set("intent", "PUT") }
		p, err := s.start(ctx, &j)
		if err != nil {
			return err
		}
		token, err := p.ResumeToken()
		if err != nil {
			return err
		}
		if err := s.set("token", token); err != nil {
			return err
		}
	}
	if err := s.follow(ctx); err != nil {
		return err
	}
	err := s.p.Write(func() error {
		clear(s.store)
		return nil
	})
	if err != nil {
		return err
	}
	return s.set("end", "Succeeded")
}

// Crashes finds exactly the points where a crash makes a program lose or repeat its operation.
func TestCrashesFindsBugs(t *testing.T) {
	const poll = "GET /operationsStatuses/" + first
	for name, tt := range map[string]struct {
		program  func(context.Context, *script) error
		lost     []string // points where a crash makes the program lose its operation
		repeated []string // points where a crash makes the program start a second operation
	}{
		"stores no intent": {
			program: withoutIntent,
			lost:    []string{"after PUT /widgets/w1", "before write 1"},
		},
		"stores the token after the second request": {
			program: lateToken,
			lost:    []string{"after PUT /widgets/w1", "before " + poll, "after " + poll, "before write 1"},
		},
		"deletes the record before the end": {
			program:  earlyDelete,
			repeated: []string{"after write 4", "before write 5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lost, repeated []string
			fakes.Crashes(&points{t, ""}, func(at *points, crash *fakes.Crash) {
				synctest.Test(at.T, func(t *testing.T) {
					svc := &fakes.Service{Default: fakes.Plan{Duration: 90 * time.Second}}
					store := map[string]string{}
					err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
						w := worker{
							client:  &http.Client{Transport: p.Transport(&fakes.Transport{Handler: svc})},
							options: poller.Options{Origins: []string{"https://a.test"}},
						}
						return tt.program(ctx, &script{w, store, p})
					})
					if err != nil || store["end"] == "" {
						lost = append(lost, at.name)
					}
					if started(svc) != 1 {
						repeated = append(repeated, at.name)
					}
				})
			})
			require.Equal(t, tt.lost, lost)
			require.Equal(t, tt.repeated, repeated)
		})
	}
}

// points is a *testing.T with the name of the point at which the subtest crashes the program.
type points struct {
	*testing.T
	name string
}

func (p *points) Run(name string, f func(*points)) bool {
	return p.T.Run(name, func(t *testing.T) { f(&points{t, name}) })
}
