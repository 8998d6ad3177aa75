package serve

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/fakes"
)

// options holds the values of the flags.
type options struct {
	addr        string
	allowRemote bool

	style    string
	strategy string

	duration, retryAfter    time.Duration
	polls                   int
	end                     string
	errorCode, errorMessage string

	pageSize, items int

	faults faultRules
	quirks quirkNames
	record string

	changed func(flag string) bool // reports whether the flag was given
}

func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	o.changed = f.Changed
	f.StringVar(&o.addr, "addr", "127.0.0.1:8089", "listen on this `host:port`; port 0 lets the system choose")
	f.BoolVar(&o.allowRemote, "allow-remote", false, "allow an --addr that other machines can reach")

	o.style = styles[0].name
	f.Var(&choice{&o.style, styleNames()}, "style", "answer like a service of this `kind`: "+strings.Join(styleNames(), ", "))
	f.Var(&choice{&o.strategy, strategyNames()}, "strategy", "how the client learns the status, by the `name` that lro put --strategy uses (default: as the service does for each method)")

	o.duration, o.retryAfter = 20*time.Second, 2*time.Second
	f.Var((*period)(&o.duration), "duration", "the `time` that each operation takes")
	f.Var((*count)(&o.polls), "polls", "the `number` of polls that find an operation in progress; without --duration, its age does not count")
	f.Var((*period)(&o.retryAfter), "retry-after", "the `pause` in Retry-After; 0s sends none, as --style arohcp always does")
	o.end = endingNames()[0]
	f.Var(&choice{&o.end, endingNames()}, "end", "the `state` in which operations end: "+strings.Join(endingNames(), ", "))
	f.StringVar(&o.errorCode, "error-code", "", "the `code` of the error of each operation; implies --end failed")
	f.StringVar(&o.errorMessage, "error-message", "", "the `text` of the error of each operation; implies --end failed")

	o.pageSize, o.items = 2, 3
	f.Var((*count)(&o.pageSize), "page-size", "the `number` of items on a page of a listing; 0 puts all on one page")
	f.Var((*count)(&o.items), "items", "the `number` of resources that exist at the start")

	f.Var(&o.faults, "fault", "make requests fail: `[which:]action`; repeatable")
	f.Var(&o.quirks, "quirk", "depart from the contract as a real service does: a `name` that lro serve quirks lists; repeatable")
	f.StringVar(&o.record, "record", "", "write the conversation to this `file`, for fakes.ReadTranscript")

	for name, values := range map[string][]string{
		"style": styleNames(), "strategy": strategyNames(), "end": endingNames(), "quirk": completions(), "fault": faultNames(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

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
	switch {
	case err != nil:
		return 0, errors.New("want a number and a unit, such as 20s, 1m30s or 72h")
	case d < 0:
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

var endings = []fakes.Ending{fakes.Succeeded, fakes.Failed, fakes.Canceled}

func endingNames() (names []string) {
	for _, e := range endings {
		names = append(names, strings.ToLower(string(e)))
	}
	return names
}

// ending returns how operations end. If --end is not given, an error code or an error message
// implies a failure.
func (o *options) ending() (fakes.Ending, error) {
	failure := o.errorCode != "" || o.errorMessage != ""
	if failure && !o.changed("end") {
		return fakes.Failed, nil
	}
	e := endings[slices.Index(endingNames(), o.end)]
	if failure && e == fakes.Succeeded {
		return "", errors.New("--error-code and --error-message need --end failed or --end canceled")
	}
	return e, nil
}

// plan returns the plan that every operation follows.
func (o *options) plan(style fakes.Style) (fakes.Plan, error) {
	ending, err := o.ending()
	if err != nil {
		return fakes.Plan{}, err
	}
	p := fakes.Plan{
		Style:      style,
		Duration:   o.duration,
		Polls:      o.polls,
		Percent:    true,
		RetryAfter: o.retryAfter,
		Ending:     ending,
	}
	if o.changed("polls") && !o.changed("duration") {
		p.Duration = 0
	}
	if p.Polls == 0 {
		p.Polls = -1 // 0 would mean the default of package fakes, which is two polls if Duration is 0
	}
	if o.errorCode != "" || o.errorMessage != "" {
		p.Error = fakes.Error{Code: o.errorCode, Message: o.errorMessage}
	}
	return p, nil
}
