package fakes_test

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// put sends a PUT request for a widget through p, even if ctx has ended.
func put(ctx context.Context, p *fakes.Process, svc *fakes.Service) error {
	client := &http.Client{Transport: p.Transport(&fakes.Transport{Handler: svc})}
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPut, "https://a.test/widgets/w1", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Crashes tests the points in the order the program reaches them, and gives each subtest a unique
// name.
func TestCrashPoints(t *testing.T) {
	var names []string
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		names = append(names, t.name)
		svc := &fakes.Service{}
		require.NoError(t, crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
			for range 2 {
				if err := put(ctx, p, svc); err != nil {
					return err
				}
				if err := p.Write(func() error { return nil }); err != nil {
					return err
				}
			}
			return nil
		}))
	})
	require.Equal(t, []string{
		"", "before PUT /widgets/w1", "after PUT /widgets/w1", "before write 1", "after write 1",
		"before PUT /widgets/w1 (2)", "after PUT /widgets/w1 (2)", "before write 2", "after write 2",
	}, names)
}

// The program's goroutine ends at the point of the crash. Its deferred functions run, but their
// requests and writes have no effect.
func TestCrashEndsGoroutine(t *testing.T) {
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		svc := &fakes.Service{}
		var processes, arrived, deferred, repaired int
		require.NoError(t, crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
			processes++
			defer func() {
				deferred++
				if ctx.Err() == nil {
					return
				}
				defer func() { _ = put(ctx, p, svc) }()
				_ = p.Write(func() error { repaired++; return nil })
			}()
			err := put(ctx, p, svc)
			arrived++
			return err
		}))
		require.Zero(t, repaired)
		require.Equal(t, processes, deferred)
		require.Equal(t, 1, arrived)
		sent := map[string]int{"": 1, "before PUT /widgets/w1": 1, "after PUT /widgets/w1": 2}
		require.Len(t, svc.Requests(), sent[t.name])
	})
}

// If a goroutine started by the program reaches the point of the crash, its request or write fails,
// and the program's context ends. Run waits for the program and ignores its error.
func TestCrashOnOtherGoroutine(t *testing.T) {
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		svc := &fakes.Service{}
		var ended []string
		require.NoError(t, crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
			finished := make(chan error)
			go func() {
				err := put(ctx, p, svc)
				if err == nil {
					err = p.Write(func() error { return nil })
				}
				finished <- err
			}()
			err := <-finished
			if err == nil {
				ended = append(ended, "completed")
				return nil
			}
			require.Error(t, ctx.Err())
			require.ErrorContains(t, context.Cause(ctx), "crashed")
			require.ErrorContains(t, err, "crashed")
			ended = append(ended, "crashed")
			return err
		}))
		want := []string{"crashed", "completed"}
		if t.name == "" {
			want = want[1:]
		}
		require.Equal(t, want, ended)
	})
}

// Once a process has ended, its requests and writes do not reach the service or the store.
func TestCrashStopsLateRequests(t *testing.T) {
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		svc := &fakes.Service{}
		left := make(chan *fakes.Process, 2)
		require.NoError(t, crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
			left <- p
			return put(ctx, p, svc)
		}))
		before := len(svc.Requests())
		close(left)
		for p := range left {
			require.Error(t, put(t.Context(), p, svc))
			require.Error(t, p.Write(func() error { panic("written after the end") }))
		}
		require.Len(t, svc.Requests(), before)
	})
}

// Crashes also tests the points before and after a request that fails.
func TestCrashFailedRequest(t *testing.T) {
	var names []string
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		names = append(names, t.name)
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Do: fakes.Drop()})
		err := crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error { return put(ctx, p, svc) })
		require.ErrorContains(t, err, "reset", "Run must return the error of the last process")
	})
	require.Equal(t, []string{"", "before PUT /widgets/w1", "after PUT /widgets/w1"}, names)
}

// Run returns an error if the program ends before it reaches the point where it should crash.
func TestCrashNotReached(t *testing.T) {
	writes := 2
	fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
		err := crash.Run(t.Context(), func(_ context.Context, p *fakes.Process) error {
			for range writes {
				if err := p.Write(func() error { return nil }); err != nil {
					return err
				}
			}
			return nil
		})
		writes = 1
		if t.name == "before write 2" || t.name == "after write 2" {
			require.EqualError(t, err, `fakes: the program has ended without reaching the point "`+t.name+`"`)
			return
		}
		require.NoError(t, err)
	})
}

// If a failed assertion ends the program's goroutine, Run also ends the goroutine that called Run.
func TestCrashFailNow(t *testing.T) {
	returned := make(chan bool, 1)
	go func() {
		defer close(returned)
		fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
			_ = crash.Run(t.Context(), func(context.Context, *fakes.Process) error {
				runtime.Goexit()
				return nil
			})
			returned <- true
		})
	}()
	require.False(t, <-returned)
}

func TestCrashMisuse(t *testing.T) {
	require.PanicsWithValue(t, "fakes: play did not call Crash.Run", func() {
		fakes.Crashes(&points{t, ""}, func(*points, *fakes.Crash) {})
	})
	require.PanicsWithValue(t, "fakes: second call of Crash.Run", func() {
		fakes.Crashes(&points{t, ""}, func(t *points, crash *fakes.Crash) {
			for range 2 {
				_ = crash.Run(t.Context(), func(context.Context, *fakes.Process) error { return nil })
			}
		})
	})
}

// Outside a bubble, the subtests of Crashes can run in parallel.
func TestCrashParallel(t *testing.T) {
	fakes.Crashes(t, func(t *testing.T, crash *fakes.Crash) {
		t.Parallel()
		svc := &fakes.Service{}
		require.NoError(t, crash.Run(t.Context(), func(ctx context.Context, p *fakes.Process) error {
			<-time.After(time.Millisecond)
			return put(ctx, p, svc)
		}))
	})
}
