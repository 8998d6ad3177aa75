package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/lro-go/lro/fakes"
)

// A config is what the flags say.
type config struct {
	n        int           // operations
	polls    int           // of each on average, the one that tells the end included
	inflight int           // reads under way at once
	pause    time.Duration // between two polls of an operation, by the service's Retry-After
	faults   float64       // fraction of the answers to reads that are faulty
	fail     float64       // fraction of the operations that fail
	cancel   float64       // fraction that the service cancels
	throttle bool
	seed     uint64 // decides which operations fail or are canceled
}

func (c *config) flags(w io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("fleet", flag.ContinueOnError)
	fs.SetOutput(w)
	fs.IntVar(&c.n, "n", 10_000, "how many operations there are")
	fs.IntVar(&c.polls, "polls", 5, "how often each is polled on average, the poll that tells its end included")
	fs.IntVar(&c.inflight, "inflight", 64, "how many reads may be under way at once")
	fs.DurationVar(&c.pause, "pause", 3*time.Second, "what the service asks for between two polls of an operation")
	fs.Float64Var(&c.faults, "faults", 0.02, "fraction of the answers to reads that are faulty")
	fs.Float64Var(&c.fail, "fail", 0.01, "fraction of the operations that fail")
	fs.Float64Var(&c.cancel, "cancel", 0.005, "fraction of the operations that the service cancels")
	fs.BoolVar(&c.throttle, "throttle", false, "the service answers 429 now and then")
	fs.Uint64Var(&c.seed, "seed", 1, "decides which operations fail or are canceled")
	return fs
}

// parse reads the flags, and tells on w what is wrong with them.
func parse(args []string, w io.Writer) (config, error) {
	var c config
	fs := c.flags(w)
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	switch {
	case fs.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case c.n < 1 || c.polls < 1 || c.inflight < 1 || c.pause < time.Millisecond:
		return c, fmt.Errorf("-n, -polls and -inflight must be at least 1, and -pause 1ms")
	case !fraction(c.faults) || !fraction(c.fail) || !fraction(c.cancel) || c.faults == 1:
		return c, fmt.Errorf("-faults, -fail and -cancel are fractions: from 0 to 1, and -faults below 1")
	}
	return c, nil
}

func fraction(f float64) bool { return f >= 0 && f <= 1 }

// args are the flags that the service must know.
func (c config) args() []string {
	return []string{
		fmt.Sprintf("-polls=%d", c.polls), fmt.Sprintf("-pause=%s", c.pause), fmt.Sprintf("-faults=%g", c.faults),
		fmt.Sprintf("-throttle=%t", c.throttle), fmt.Sprintf("-seed=%d", c.seed),
	}
}

// endings are how the operations are to end, the same in every run with the same
// seed.
func (c config) endings() []fakes.Ending {
	random := rand.New(rand.NewPCG(c.seed, 0))
	endings := make([]fakes.Ending, c.n)
	for i := range endings {
		switch draw := random.Float64(); {
		case draw < c.fail:
			endings[i] = fakes.Failed
		case draw < c.fail+c.cancel:
			endings[i] = fakes.Canceled
		default:
			endings[i] = fakes.Succeeded
		}
	}
	return endings
}
