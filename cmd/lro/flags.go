package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/lro-go/lro/poller"
)

// A config is what the arguments say.
type config struct {
	verb     string
	target   string   // a URL, or a file with a token
	origins  []string // that may be asked: the target's first, where it is a URL
	data     string
	header   http.Header
	strategy strategyFlag
	via      string

	min, max, every, patience, timeout time.Duration

	tokenFile, tokenCommand string
	with                    cancelFlag
	items, nextLink         string

	output         string
	quiet, verbose bool

	set map[string]string // the flags that were given, for the command to go on with
}

// A flagGroup says which flags a verb has.
type flagGroup uint

const (
	beginning  flagGroup = 1 << iota // its argument is a URL
	stored                           // its argument is a file with a token
	withBody                         // it sends one
	withPages                        // it reads them
	withCancel                       // it cancels
)

// flags returns the flags of a verb, which change c. The package flag accepts
// --name and -name alike.
func (c *config) flags(v verb) *flag.FlagSet {
	fs := flag.NewFlagSet("lro "+v.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // what is wrong is told once, in the form that was asked for
	if v.flags&withBody != 0 {
		fs.StringVar(&c.data, "d", "", "the `body`: JSON, @FILE, or @- for the standard input")
	}
	if v.flags&withPages != 0 {
		fs.StringVar(&c.items, "items", "/value", "JSON `pointer` to the items of a page")
		fs.StringVar(&c.nextLink, "next-link", "", "JSON `pointer` to the link to the next page (default /nextLink and its relatives)")
	}
	if v.flags&withCancel != 0 {
		fs.Var(&c.with, "with", "the `request` that cancels, where the protocol has none: 'DELETE URL', 'POST https://…/cancel'")
	}
	c.followFlags(fs)
	c.commonFlags(fs)
	return fs
}

// followFlags are about the operation.
func (c *config) followFlags(fs *flag.FlagSet) {
	fs.Var((*originsFlag)(&c.origins), "origin", "an `origin`, such as https://management.azure.com, that may be asked too; repeatable, and needed by resume and cancel")
	fs.Var(&c.strategy, "strategy", "the `protocol`: "+strategyNames()+" (default arm; azure-async-operation for watch)")
	fs.StringVar(&c.via, "final-state-via", "", "where the service's description says the `result` is: azure-async-operation, location, original-uri, operation-location")
	fs.DurationVar(&c.min, "min", 0, "the shortest `pause` between two reads (default 10s)")
	fs.DurationVar(&c.max, "max", 0, "the longest `pause` between two reads (default 10m)")
	fs.DurationVar(&c.every, "default", 0, "the `pause` where the service asks for none (default 60s)")
	fs.DurationVar(&c.patience, "patience", -1, "how long (a `time`) a status that cannot be read is borne; 0: not at all (default 30m)")
	fs.StringVar(&c.tokenFile, "token-file", "", "the `file` for the resume token, written as soon as there is one and removed at the end")
}

// commonFlags are about the requests and what is shown of them.
func (c *config) commonFlags(fs *flag.FlagSet) {
	fs.StringVar(&c.tokenCommand, "token-command", "", "a shell `command` that prints the bearer token, run again when that expires; without it $LRO_TOKEN is the token")
	fs.Var((*headerFlag)(&c.header), "header", "a `header` of every request, 'Name: value'; repeatable")
	fs.DurationVar(&c.timeout, "timeout", 0, "stop waiting after this `time`; 0: never")
	fs.StringVar(&c.output, "o", "", "the `format`: text or json, for both outputs (default: text on a terminal, json elsewhere)")
	fs.BoolVar(&c.quiet, "quiet", false, "no progress")
	fs.BoolVar(&c.verbose, "v", false, "a record of every request on the standard error, without secrets")
}

// parse reads the arguments of a verb. Flags may stand before and after the URL
// or file.
func (c *config) parse(v verb, args []string) error {
	c.verb = v.name
	fs := c.flags(v)
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			return usage(v, err)
		}
		if fs.NArg() == 0 {
			break
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
	if len(rest) != 1 {
		return usage(v, fmt.Errorf("one %s is wanted, and there are %d arguments", v.arg, len(rest)))
	}
	c.target = rest[0]
	c.set = given(fs)
	if err := c.check(v); err != nil {
		return usage(v, err)
	}
	return nil
}

// check finds the mistakes that no flag by itself has.
func (c *config) check(v verb) error {
	if c.output != "" && c.output != "text" && c.output != "json" {
		return fmt.Errorf("-o is text or json, not %q", c.output)
	}
	if c.min < 0 || c.max < 0 || c.every < 0 || c.timeout < 0 {
		return errors.New("a time is less than 0")
	}
	if v.flags&beginning == 0 {
		return nil
	}
	origin, err := originOf(c.target)
	if err != nil {
		return err
	}
	c.origins = append([]string{origin}, c.origins...)
	return nil
}

// value is where the package flag repeats what a flag was given: a header, say.
var value = regexp.MustCompile(`(?s)^(invalid (boolean )?value) ".*" (for flag -)`)

func usage(v verb, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{fmt.Errorf("%s; see lro help %s", value.ReplaceAllString(err.Error(), "$1 $3"), v.name)}
}

// given returns the flags that were given, with their values.
func given(fs *flag.FlagSet) map[string]string {
	set := map[string]string{}
	fs.Visit(func(f *flag.Flag) { set[f.Name] = f.Value.String() })
	return set
}

// options are those of every poller here.
func (c *command) options() *poller.Options {
	opts := &poller.Options{
		Strategy:      c.strategy.Strategy,
		FinalStateVia: poller.FinalStateVia(c.via),
		Cadence:       poller.Cadence{Default: c.every, Min: c.min, Max: c.max},
		Origins:       c.origins,
		Header:        c.header,
		CancelRequest: c.with.request(),
		Logger:        c.logger,
	}
	switch {
	case c.patience == 0:
		opts.Patience = poller.Patience{Failures: 1}
	case c.patience > 0:
		opts.Patience = poller.Patience{Time: c.patience, Failures: 5}
	}
	return opts
}
