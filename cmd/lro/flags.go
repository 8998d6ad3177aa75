package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/transport"
)

// followFlags defines the flags that control how lro follows the operation.
func (c *config) followFlags(fs *pflag.FlagSet) {
	fs.Var(&c.strategy, "strategy", "the `protocol` of the operation (default arm, and azure-async-operation for watch); see lro help strategies")
	fs.Var(&c.origins, "origin", "a further `origin` that may get requests and the bearer token, such as https://management.azure.com; repeatable")
	fs.Var(&c.min, "min", "the shortest `pause` between two reads (default 10s)")
	fs.Var(&c.max, "max", "the longest `pause` between two reads (default 10m)")
	fs.Var(&c.pause, "default", "the `pause` if the service asks for none (default 60s)")
	fs.Var(&c.patience, "patience", "how much `time` to retry while the status cannot be read; 0 does not retry (default 30m)")
	fs.Var(&c.timeout, "timeout", "stop waiting after this `time`, but not before the first response; 0 never stops (default 0)")
	fs.StringVar(&c.timelinePath, "timeline", "", "draw the wait as an SVG `file`")
}

// requestFlags defines the flags for requests and output.
func (c *config) requestFlags(fs *pflag.FlagSet) {
	fs.StringVar(&c.tokenCommand, "token-command", "", "a shell `command` that prints the bearer token; lro runs it again when the token expires")
	fs.Var(&c.header, "header", "a `header` for every request, 'Name: value'; repeatable")
	fs.VarP(&c.output, "output", "o", "the `format` of both outputs: text or json (default text on a terminal, otherwise json)")
	fs.BoolVarP(&c.quiet, "quiet", "q", false, "show no progress")
	fs.BoolVarP(&c.verbose, "verbose", "v", false, "log every request to the standard error, without secrets")
}

// options returns the options for a poller.
func (c *command) options() *poller.Options {
	opts := &poller.Options{
		Strategy:      c.strategy.Strategy,
		FinalStateVia: poller.FinalStateVia(c.via.value),
		Cadence:       poller.Cadence{Default: c.pause.d, Min: c.min.d, Max: c.max.d},
		Origins:       c.origins,
		Header:        http.Header(c.header),
		CancelRequest: c.cancelRequest.request(),
		Logger:        c.logger,
	}
	switch {
	case c.patience.set && c.patience.d == 0:
		opts.Patience = poller.Patience{Failures: 1}
	case c.patience.set:
		opts.Patience = poller.Patience{Time: c.patience.d, Failures: 5}
	}
	return opts
}

// A durationFlag accepts a duration that is not negative.
type durationFlag struct {
	d   time.Duration
	set bool
}

func (f *durationFlag) String() string {
	if !f.set {
		return ""
	}
	return f.d.String()
}
func (f *durationFlag) Type() string { return "duration" }

func (f *durationFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return errors.New("a duration needs a unit, such as 5s or 2m")
	case d < 0:
		return errors.New("a duration cannot be negative")
	}
	*f = durationFlag{d, true}
	return nil
}

// A choiceFlag accepts one of several values.
type choiceFlag struct {
	value  string
	values []string
}

func (f *choiceFlag) String() string { return f.value }
func (f *choiceFlag) Type() string   { return "choice" }
func (f *choiceFlag) list() string   { return strings.Join(f.values, ", ") }

func (f *choiceFlag) Set(s string) error {
	if !slices.Contains(f.values, s) {
		return fmt.Errorf("the value must be one of %s", f.list())
	}
	f.value = s
	return nil
}

var viaValues = []string{
	string(poller.FinalStateViaAzureAsyncOp), string(poller.FinalStateViaLocation),
	string(poller.FinalStateViaOriginalURI), string(poller.FinalStateViaOpLocation),
}

// An originsFlag is a list of origins.
type originsFlag []string

func (f *originsFlag) String() string { return strings.Join(*f, " ") }
func (f *originsFlag) Type() string   { return "origin" }

func (f *originsFlag) Set(s string) error {
	origin, err := originOf(s)
	if err == nil {
		*f = append(*f, origin)
	}
	return err
}

// originOf returns the origin of a URL. Its error omits the path and query of the URL, because
// they may hold a signature.
func originOf(s string) (string, error) {
	if scheme, _, ok := strings.Cut(s, "://"); !ok || scheme != "http" && scheme != "https" {
		return "", errors.New("want a URL that starts with https:// or http://")
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("the URL cannot be parsed")
	}
	return transport.Origin(u)
}

// A headerFlag holds headers for every request.
type headerFlag http.Header

func (f *headerFlag) String() string { return "" }
func (f *headerFlag) Type() string   { return "header" }

func (f *headerFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	name = http.CanonicalHeaderKey(strings.TrimSpace(name))
	switch {
	case !ok || name == "":
		return errors.New("a header has the form 'Name: value'")
	case name == "Authorization" || name == "Proxy-Authorization":
		return fmt.Errorf("every process on this machine can read arguments, so %s is not allowed here; use --token-command or $LRO_TOKEN", name)
	}
	if *f == nil {
		*f = headerFlag{}
	}
	http.Header(*f).Add(name, strings.TrimSpace(value))
	return nil
}

// A requestFlag holds the request that cancels an operation.
type requestFlag struct{ text, method, url string }

func (f *requestFlag) String() string { return f.text }
func (f *requestFlag) Type() string   { return "request" }

func (f *requestFlag) Set(s string) error {
	parts := strings.Fields(s)
	if len(parts) != 2 || parts[0] != strings.ToUpper(parts[0]) {
		return errors.New("a request has the form 'METHOD URL'; the URL may be relative to the first request")
	}
	*f = requestFlag{text: s, method: parts[0], url: parts[1]}
	return nil
}

func (f *requestFlag) request() func(poller.Status) (*poller.Request, error) {
	if f.method == "" {
		return nil
	}
	return func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: f.method, URL: f.url}, nil
	}
}

// strategies lists the values of --strategy. The names ibm-vpc and ibm-vpc-action may be followed
// by a colon and the status words that mean success.
var strategies = []struct {
	name, about string
	make        func(words ...string) poller.Strategy
}{
	{"arm", "Azure Resource Manager and most Azure services", named(arm.ARM)},
	{"azure-async-operation", "a status document, from Azure-AsyncOperation", named(arm.AzureAsyncOperation)},
	{"operation-location", "a status document, from Operation-Location", named(arm.OperationLocation)},
	{"location", "202 at Location until the end", named(arm.Location)},
	{"provisioning-state", "properties.provisioningState of the resource", named(arm.ProvisioningState)},
	{"ibm-operation", "an operation resource (API handbook)", named(ibmcloud.Operation{})},
	{"ibm-resource", "the state of the resource (API handbook)", named(ibmcloud.Resource{})},
	{"ibm-resource-controller", "last_operation of a resource instance", named(ibmcloud.ResourceController())},
	{"ibm-task", "a task of Cloud Databases", named(ibmcloud.Task())},
	{"ibm-vpc", "the status of a VPC resource", func(words ...string) poller.Strategy { return ibmcloud.VPC(words...) }},
	{"ibm-vpc-action", "the status of a VPC resource after an action", func(words ...string) poller.Strategy { return ibmcloud.VPCAction(words...) }},
	{"ibm-vpc-lifecycle", "lifecycle_state of a VPC resource", named(ibmcloud.VPCLifecycle())},
	{"ibm-vpc-provisioning", "provisioning_status, as of a load balancer", named(ibmcloud.VPCProvisioning())},
	{"ibm-code-engine", "the status of a Code Engine resource", named(ibmcloud.CodeEngine())},
}

func named(s poller.Strategy) func(...string) poller.Strategy {
	return func(...string) poller.Strategy { return s }
}

func strategyNames() []string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return names
}

// A strategyFlag selects the protocol of an operation.
type strategyFlag struct {
	text string
	poller.Strategy
}

func (f *strategyFlag) String() string { return f.text }
func (f *strategyFlag) Type() string   { return "strategy" }

func (f *strategyFlag) Set(s string) error {
	name, list, hasWords := strings.Cut(s, ":")
	for _, known := range strategies {
		if known.name != name {
			continue
		}
		if hasWords && name != "ibm-vpc" && name != "ibm-vpc-action" {
			return fmt.Errorf("%s takes no words after a colon", name)
		}
		*f = strategyFlag{s, known.make(strings.FieldsFunc(list, func(r rune) bool { return r == ',' })...)}
		return nil
	}
	return errors.New("unknown strategy; see lro help strategies")
}
