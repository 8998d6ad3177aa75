package serve

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lro-go/lro/cmd/lro/internal/faults"
	"github.com/lro-go/lro/cmd/lro/internal/values"
	"github.com/lro-go/lro/fakes"
)

// options holds the flag values.
type options struct {
	addr        string
	allowRemote bool
	tls         bool
	control     string

	style    string
	strategy string

	duration, retryAfter    time.Duration
	polls                   int
	end                     string
	errorCode, errorMessage string

	pageSize, items int
	seed            string

	faults faults.Rules
	quirks quirkNames
	record string
	replay string

	changed func(flag string) bool  // reports whether the flag was given
	visit   func(func(*pflag.Flag)) // visits the flags that were given
}

// flags defines the command's flags and their default values.
func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	o.changed, o.visit = f.Changed, f.Visit
	f.StringVar(&o.addr, "addr", "127.0.0.1:8089", "listen on this `host:port`; port 0 lets the system choose")
	f.BoolVar(&o.allowRemote, "allow-remote", false, "allow an --addr that other machines can reach")
	f.BoolVar(&o.tls, "tls", false, "use https; lro serve creates a certificate, and prints how to trust it")
	f.StringVar(&o.control, "control", "", "listen on this `host:port`, such as 127.0.0.1:8090, for commands that change the service while it runs, and for a page in the browser")

	o.style = styles[0].name
	f.Var(&values.Choice{Value: &o.style, Names: styleNames()}, "style", "answer like a service of this `kind`: "+strings.Join(styleNames(), ", "))
	f.Var(&values.Choice{Value: &o.strategy, Names: strategyNames()}, "strategy", "how the service reports the status: a `name` that lro put --strategy accepts (default: as the real service does for each method)")

	o.duration, o.retryAfter = 20*time.Second, 2*time.Second
	f.Var((*values.Period)(&o.duration), "duration", "the `time` that each operation takes")
	f.Var((*values.Count)(&o.polls), "polls", "the `number` of polls that find an operation in progress; without --duration, only these polls count")
	f.Var((*values.Period)(&o.retryAfter), "retry-after", "the `pause` in Retry-After; 0s omits the header, as --style arohcp always does")
	o.end = endingNames()[0]
	f.Var(&values.Choice{Value: &o.end, Names: endingNames()}, "end", "the `state` in which operations end: "+strings.Join(endingNames(), ", "))
	f.StringVar(&o.errorCode, "error-code", "", "the `code` of the error of each operation; implies --end failed")
	f.StringVar(&o.errorMessage, "error-message", "", "the `text` of the error of each operation; implies --end failed")

	o.pageSize, o.items = 2, 3
	f.Var((*values.Count)(&o.pageSize), "page-size", "the `number` of items on a page of a listing; 0 puts all items on one page")
	f.Var((*values.Count)(&o.items), "items", "the `number` of resources that exist at the start")
	f.StringVar(&o.seed, "seed", "", "a JSON `file` with the resources that exist at the start instead; see above for its forms")

	f.Var(&o.faults, "fault", "make requests fail: `[which:]action`; repeatable")
	f.Var(&o.quirks, "quirk", "violate the contract as a real service does: a `name` from lro serve quirks; repeatable")
	f.StringVar(&o.record, "record", "", "record all requests and responses in this `file`, for --replay and fakes.ReadTranscript")
	f.StringVar(&o.replay, "replay", "", "replay the responses in this `file`, which --record has written")

	for name, values := range map[string][]string{
		"style": styleNames(), "strategy": strategyNames(), "end": endingNames(), "quirk": completions(), "fault": faults.Names(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

var endings = []fakes.Ending{fakes.Succeeded, fakes.Failed, fakes.Canceled}

func endingNames() (names []string) {
	for _, e := range endings {
		names = append(names, strings.ToLower(string(e)))
	}
	return names
}
