package poller_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// After a burst of reads, idle goroutines exit, even if one operation is still waiting for its
// next read.
func TestIdleGoroutinesEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const many = 50
		ops := map[string][]reply{"last": {"202\nRetry-After: 100"}}
		for i := range many {
			ops[fmt.Sprint("op", i)] = []reply{`200 "A"`}
		}
		g := poller.NewGroup[named](&poller.GroupOptions{Spread: -1})
		s := slowly(fleet(ops), time.Second)
		for name := range ops {
			g.Add(followWith(t, clientOf(s), name, nil))
		}
		time.AfterFunc(60*time.Second+500*time.Millisecond, func() {
			require.Equal(t, many+1, readers())
		})
		ended := 0
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			if ended++; ended == many {
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.LessOrEqual(t, readers(), 1)
				break
			}
		}
		require.Zero(t, readers())
	})
}

// readers returns the number of group goroutines that are reading an operation or are idle.
func readers() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("scheduler.(*run).work("))
}
