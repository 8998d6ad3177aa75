// Package flags parses the command line of a verb, such as lro put, and turns it into options for
// other packages.
//
// It defines the flags, their values and their help, and the names of the protocols. It reads the
// body of the first request, the bearer token and resume tokens from the sources that the caller or
// the command line names. Each verb chooses its flags. The package sends no requests, prints
// nothing and writes no files. It is separate from package main because lro check uses it too.
//
// A verb defines its flags with the Add methods of Flags and stores its arguments with SetTargets.
// Then Request, ResumeToken, PollerOptions, PagerOptions, Retry and Credential return what the
// flags ask for, and ResumeCommand returns a command line with the same flags. These methods return
// an error only for a mistake in the command line. If the token command fails, the error comes
// later, from the transport.
package flags

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// Flags holds the arguments and the flags of a verb.
type Flags struct {
	Target  string   // the first of Targets: a URL or the name of a token file
	Targets []string // the verb's arguments, without duplicates

	Items     string // a JSON pointer to the items of a page
	TokenFile string
	Timeline  string
	Quiet     bool
	Verbose   bool

	condition     condition
	data          string
	nextLink      string
	cancelRequest requestFlag

	origins  originsFlag // the allowed origins: from the URLs in Targets, then from --origin
	strategy strategyFlag
	via      choiceFlag
	min, max durationFlag
	pause    durationFlag
	patience durationFlag
	timeout  durationFlag

	tokenCommand string
	header       headerFlag
	format       choiceFlag

	set map[string]string // the values of the flags on the command line, by name
}

// New returns a Flags in which no flag is set yet.
func New() *Flags {
	return &Flags{
		via: choiceFlag{values: []string{
			string(poller.FinalStateViaAzureAsyncOp), string(poller.FinalStateViaLocation),
			string(poller.FinalStateViaOriginalURI), string(poller.FinalStateViaOpLocation),
		}},
		format: choiceFlag{values: []string{"text", "json"}},
	}
}

// AddData defines the flag for the body of the first request.
func (f *Flags) AddData(fs *pflag.FlagSet) {
	fs.StringVarP(&f.data, "data", "d", "", "the `body`: JSON, @FILE, or @- for the standard input")
}

// AddListing defines the flags for the pages of a listing.
func (f *Flags) AddListing(fs *pflag.FlagSet) {
	fs.StringVar(&f.Items, "items", "/value", "JSON `pointer` to the items of a page")
	fs.StringVar(&f.nextLink, "next-link", "", "JSON `pointer` to the link to the next page (default /nextLink and similar)")
}

// AddCancel defines the flag for the request that cancels an operation.
func (f *Flags) AddCancel(fs *pflag.FlagSet) {
	fs.Var(&f.cancelRequest, "with", "the `request` that cancels if the protocol has none, such as 'DELETE URL' or 'POST URL'")
}

// AddResult defines the flag that says where the result is.
func (f *Flags) AddResult(fs *pflag.FlagSet) {
	fs.Var(&f.via, "final-state-via", "the `place` of the result, as in the service's description: "+f.via.list())
}

// AddTokenFile defines the flag for the name of the token file.
func (f *Flags) AddTokenFile(fs *pflag.FlagSet) {
	fs.StringVar(&f.TokenFile, "token-file", "", "the `file` for the resume token, written after the first response and removed at the end")
}

// AddFurtherOrigins defines the flag for origins that are allowed in addition to the origins of the
// requested URLs.
func (f *Flags) AddFurtherOrigins(fs *pflag.FlagSet) {
	fs.Var(&f.origins, "origin", "a further `origin` that may get requests and the bearer token, such as https://management.azure.com; repeatable")
}

// AddOrigins defines the flag for the allowed origins of a verb that can read a token file.
func (f *Flags) AddOrigins(fs *pflag.FlagSet) {
	fs.Var(&f.origins, "origin", "the `origin` that may get requests and the bearer token, such as https://management.azure.com; repeatable")
}

// AddShared defines the flags that are common to all verbs that send requests.
func (f *Flags) AddShared(fs *pflag.FlagSet) {
	fs.Var(&f.strategy, "strategy", "the `protocol` of the operation (default arm, and azure-async-operation for watch); see lro help strategies")
	fs.Var(&f.min, "min", "the shortest `pause` between two reads (default 10s)")
	fs.Var(&f.max, "max", "the longest `pause` between two reads (default 10m)")
	fs.Var(&f.pause, "default", "the `pause` if the service asks for none (default 60s)")
	fs.Var(&f.patience, "patience", "retry for this `time` while the status cannot be read; 0 does not retry (default 30m)")
	fs.Var(&f.timeout, "timeout", "stop waiting after this `time`, but not before the first response; 0 never stops (default 0)")

	f.AddConnection(fs)
	f.AddOutput(fs)
	fs.BoolVarP(&f.Quiet, "quiet", "q", false, "show no progress")
	fs.BoolVarP(&f.Verbose, "verbose", "v", false, "log every request to the standard error, without secrets")
}

// AddConnection defines the flags for the credential and the headers of all requests.
func (f *Flags) AddConnection(fs *pflag.FlagSet) {
	fs.StringVar(&f.tokenCommand, "token-command", "", "a shell `command` that prints the bearer token; lro runs it again when the token expires")
	fs.Var(&f.header, "header", "a `header` for every request, 'Name: value'; repeatable")
}

// AddTimeline defines the flag for the SVG timeline of the wait.
func (f *Flags) AddTimeline(fs *pflag.FlagSet) {
	fs.StringVar(&f.Timeline, "timeline", "", "draw the wait as an SVG `file`")
}

// AddOutput defines the flag for the output format.
func (f *Flags) AddOutput(fs *pflag.FlagSet) {
	fs.VarP(&f.format, "output", "o", "the `format` of both outputs: text or json (default text on a terminal, otherwise json)")
}

// Choices returns the shell completions for the flags that accept one of several values.
func (f *Flags) Choices() map[string][]string {
	return map[string][]string{"final-state-via": f.via.values, "output": f.format.values, "strategy": strategyNames()}
}

// SetTargets stores the verb's arguments without duplicates, and records which flags in fs were
// given.
func (f *Flags) SetTargets(targets []string, fs *pflag.FlagSet) {
	for _, target := range targets {
		if !slices.Contains(f.Targets, target) {
			f.Targets = append(f.Targets, target)
		}
	}
	if len(f.Targets) > 0 {
		f.Target = f.Targets[0]
	}
	f.set = map[string]string{}
	fs.Visit(func(flag *pflag.Flag) { f.set[flag.Name] = flag.Value.String() })
}

// WithTarget returns a copy of f whose only argument is target.
func (f *Flags) WithTarget(target string) *Flags {
	one := *f
	one.Target = target
	one.Targets = []string{target}
	return &one
}

// AllowTargets allows the origin of every argument that is a URL, in addition to the values of
// --origin. If allURLs is set, every argument must be a URL.
func (f *Flags) AllowTargets(allURLs bool) error {
	var own originsFlag
	for _, target := range f.Targets {
		if !allURLs && !IsURL(target) {
			continue
		}
		if err := own.Set(target); err != nil {
			return err
		}
	}
	f.origins = append(own, f.origins...)
	return nil
}

// IsURL reports whether an argument is a URL rather than a file name.
func IsURL(target string) bool {
	return strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://")
}

// Allow adds the origin of a URL to the allowed origins.
func (f *Flags) Allow(link string) error {
	origin, err := originOf(link)
	if err != nil {
		return err
	}
	f.origins = append(f.origins, origin)
	return nil
}

// Header returns the headers for every request.
func (f *Flags) Header() http.Header { return http.Header(f.header) }

// UseStatusURL is for a user who knows only the status URL. It makes azure-async-operation the
// default strategy, and rejects arm, which needs the first response.
func (f *Flags) UseStatusURL() error {
	return f.strategy.useStatusURL()
}

// Format returns the output format. If it is "", the format depends on whether standard output and
// standard error are terminals.
func (f *Flags) Format() string { return f.format.value }

// Timeout returns how long to wait for the operation, or 0 for no limit.
func (f *Flags) Timeout() time.Duration { return f.timeout.d }

// Origins returns the allowed origins.
func (f *Flags) Origins() []string { return f.origins }

// PollerOptions returns the options for a poller.
func (f *Flags) PollerOptions(logger *slog.Logger) *poller.Options {
	return &poller.Options{
		Strategy:      f.strategy.Strategy,
		FinalStateVia: poller.FinalStateVia(f.via.value),
		Cadence:       poller.Cadence{Default: f.pause.d, Min: f.min.d, Max: f.max.d},
		Patience:      f.patienceLimits(),
		Origins:       f.origins,
		Header:        http.Header(f.header),
		CancelRequest: f.cancelRequest.request(),
		Logger:        logger,
	}
}

// patienceLimits returns the limits set by --patience. Without the flag, it returns the zero value,
// and the poller uses its own limits.
func (f *Flags) patienceLimits() poller.Patience {
	if !f.patience.set {
		return poller.Patience{}
	}
	if f.patience.d == 0 {
		return poller.Patience{Time: -1}
	}
	return poller.Patience{Time: f.patience.d}
}

// PagerOptions returns the options for a pager.
func (f *Flags) PagerOptions(logger *slog.Logger) *pager.Options {
	return &pager.Options{
		Items:    f.Items,
		NextLink: f.nextLink,
		Origins:  f.origins,
		Header:   http.Header(f.header),
		Logger:   logger,
	}
}

// Retry reports whether to send a request again. It is the transport's retry policy.
func (f *Flags) Retry(req *http.Request, resp *http.Response, err error) bool {
	if strings.HasPrefix(f.strategy.text, "ibm-") {
		return transport.IdempotentOnly(req, resp, err) // see package poller/ibmcloud for the reason
	}
	return transport.DefaultPolicy(req, resp, err)
}

// ResumeCommand returns the command that resumes the wait for the operation in a token file. It
// omits header values, which may be secret.
func (f *Flags) ResumeCommand(file string) string {
	words := []string{"lro", "resume", Quote(file)}
	for _, origin := range slices.Compact(slices.Clone(f.origins)) {
		words = append(words, "--origin", Quote(origin))
	}
	for _, name := range []string{"strategy", "min", "max", "default", "patience", "token-command"} {
		if value, ok := f.set[name]; ok {
			words = append(words, "--"+name, Quote(value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.header)) {
		words = append(words, "--header", Quote(name+": …"))
	}
	return strings.Join(words, " ")
}

// Quote quotes a word for a shell if necessary.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
