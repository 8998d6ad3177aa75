package chaos

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	seedFlag = flag.Uint64("chaos.seed", 0, "of the operations and faults; 0: one of the time")
	opsFlag  = flag.Int("chaos.ops", 1000, "how many operations")
	killed   = flag.Int("chaos.killed", 100, "how many operations the processes follow that are killed")
	limit    = flag.Duration("chaos.limit", 5*time.Minute, "after which what has not ended is lost")
)

// newSeed returns the seed from the command line, or a random one.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	t.Logf("again with: go test ./internal/chaos -run '^%s$' -args -chaos.seed=%d", t.Name(), seed)
	return seed
}

func TestMain(m *testing.M) {
	if order := os.Getenv(workerEnv); order != "" {
		os.Exit(work(order))
	}
	os.Exit(m.Run())
}
