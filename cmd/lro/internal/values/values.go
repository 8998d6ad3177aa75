// Package values defines flag types that the flag library lacks, and functions that parse their
// values.
//
// It is a separate package because two packages use it: serve needs the types, and faults needs the
// functions.
package values

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Choice is a flag value that must be one of several names.
type Choice struct {
	Value *string
	Names []string
}

// String implements pflag.Value.
func (c *Choice) String() string { return *c.Value }

// Type implements pflag.Value.
func (c *Choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c *Choice) Set(s string) error {
	if !slices.Contains(c.Names, s) {
		return fmt.Errorf("want one of %s", strings.Join(c.Names, ", "))
	}
	*c.Value = s
	return nil
}

// A Period is a flag value that must be a non-negative duration.
type Period time.Duration

// String implements pflag.Value.
func (p *Period) String() string { return time.Duration(*p).String() }

// Type implements pflag.Value.
func (p *Period) Type() string { return "duration" }

// Set implements pflag.Value.
func (p *Period) Set(s string) error {
	d, err := ParsePeriod(s)
	*p = Period(d)
	return err
}

// ParsePeriod parses a non-negative duration.
func ParsePeriod(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("want a number and a unit, such as 20s, 1m30s or 72h")
	}
	if d < 0 {
		return 0, errors.New("want a time of at least 0s")
	}
	return d, nil
}

// A Count is a flag value that must be a non-negative integer.
type Count int

// String implements pflag.Value.
func (c *Count) String() string { return strconv.Itoa(int(*c)) }

// Type implements pflag.Value.
func (c *Count) Type() string { return "int" }

// Set implements pflag.Value.
func (c *Count) Set(s string) error {
	n, err := ParseCount(s)
	*c = Count(n)
	return err
}

// ParseCount parses a non-negative integer.
func ParseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("want a whole number of at least 0")
	}
	return n, nil
}
