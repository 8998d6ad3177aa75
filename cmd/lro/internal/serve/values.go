package serve

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A choice is a flag that accepts one of several names.
type choice struct {
	value *string
	names []string
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return "string" }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.names, s) {
		return fmt.Errorf("want one of %s", strings.Join(c.names, ", "))
	}
	*c.value = s
	return nil
}

// A period is a flag that accepts a duration of at least 0.
type period time.Duration

func (p *period) String() string { return time.Duration(*p).String() }
func (p *period) Type() string   { return "duration" }

func (p *period) Set(s string) error {
	d, err := parsePeriod(s)
	*p = period(d)
	return err
}

func parsePeriod(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("want a number and a unit, such as 20s, 1m30s or 72h")
	}
	if d < 0 {
		return 0, errors.New("want a time of at least 0s")
	}
	return d, nil
}

// A count is a flag that accepts a number of at least 0.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "int" }

func (c *count) Set(s string) error {
	n, err := parseCount(s)
	*c = count(n)
	return err
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("want a whole number of at least 0")
	}
	return n, nil
}
