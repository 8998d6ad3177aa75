package main

import (
	"flag"
	"fmt"
	"io"
	"time"
)

// A config is what the flags say.
type config struct {
	operations int
	duration   time.Duration // of an operation, at the service
	pause      time.Duration // between two polls of an operation, by the service's Retry-After
	timeout    time.Duration // of one run of a job

	id, origin string // of a process of workers, and of the service that it asks
}

// parse reads the flags, and tells on w what is wrong with them.
func parse(args []string, w io.Writer) (config, error) {
	var c config
	fs := flag.NewFlagSet("river", flag.ContinueOnError)
	fs.SetOutput(w)
	fs.IntVar(&c.operations, "operations", 100_000, "how many operations there are")
	fs.DurationVar(&c.duration, "duration", 100*time.Second, "how long the service takes for one")
	fs.DurationVar(&c.pause, "pause", 40*time.Second, "what the service asks for between two polls of an operation")
	fs.DurationVar(&c.timeout, "timeout", 9*time.Second, "how long one run of a job may take; one of a dead worker is run again after some more")
	fs.StringVar(&c.id, "id", "", "of the worker, set by the demonstration")
	fs.StringVar(&c.origin, "origin", "", "of the service, set by the demonstration")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	switch {
	case fs.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case c.operations < 1 || c.duration < 0 || c.pause < time.Millisecond || c.timeout < time.Second:
		return c, fmt.Errorf("-operations must be at least 1, -duration 0, -pause 1ms and -timeout 1s")
	}
	return c, nil
}

// args are the flags that a process of workers must know.
func (c config) args() []string {
	return []string{
		fmt.Sprintf("-pause=%s", c.pause), fmt.Sprintf("-timeout=%s", c.timeout), "-id=" + c.id, "-origin=" + c.origin,
	}
}
