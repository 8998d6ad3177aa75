package chaos

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	seedFlag = flag.Uint64("chaos.seed", 0, "`seed` of the operations and faults; 0 means a new seed")
	opsFlag  = flag.Int("chaos.ops", 1000, "`number` of operations in TestChaos")
	killed   = flag.Int("chaos.killed", 100, "`number` of operations in TestProcessesAreKilled")
	limit    = flag.Duration("chaos.limit", 5*time.Minute, "`time` after which an operation that has not ended counts as lost")
)

// newSeed returns the seed from the command line or, by default, one derived from the current time.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	t.Logf("to repeat this run: go test ./internal/chaos -run '^%s$' -args -chaos.seed=%d", t.Name(), seed)
	return seed
}

func TestMain(m *testing.M) {
	if order := os.Getenv(workerEnv); order != "" {
		os.Exit(work(order))
	}
	os.Exit(m.Run())
}
