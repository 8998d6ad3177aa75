package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/transport"
)

// originsFlag is the flag --origin.
type originsFlag []string

func (f *originsFlag) String() string { return strings.Join(*f, " ") }

func (f *originsFlag) Set(s string) error {
	origin, err := originOf(s)
	if err != nil {
		return err
	}
	*f = append(*f, origin)
	return nil
}

// originOf returns the origin of a URL. No error has more of it than scheme and
// host, because a URL may be signed.
func originOf(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("the URL cannot be parsed")
	}
	return transport.Origin(u)
}

// headerFlag is the flag --header.
type headerFlag http.Header

func (f *headerFlag) String() string { return "" }

func (f *headerFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	name = http.CanonicalHeaderKey(strings.TrimSpace(name))
	switch {
	case !ok || name == "":
		return errors.New("a header is 'Name: value'")
	case name == "Authorization" || name == "Proxy-Authorization":
		return fmt.Errorf("%s is not taken from an argument, which every process on this machine can read: use --token-command or $LRO_TOKEN", name)
	}
	if *f == nil {
		*f = headerFlag{}
	}
	http.Header(*f).Add(name, strings.TrimSpace(value))
	return nil
}

// strategies are the values of the flag --strategy. The names of those of
// Azure Resource Manager are their own. Words after a colon are those that VPC
// succeeds with.
var strategies = []struct {
	name string
	make func(words ...string) poller.Strategy
}{
	{"arm", named(poller.ARM)},
	{"azure-async-operation", named(poller.AzureAsyncOperation)},
	{"operation-location", named(poller.OperationLocation)},
	{"location", named(poller.Location)},
	{"provisioning-state", named(poller.ProvisioningState)},
	{"ibm-operation", named(ibmcloud.Operation{})},
	{"ibm-resource", named(ibmcloud.Resource{})},
	{"ibm-resource-controller", named(ibmcloud.ResourceController())},
	{"ibm-task", named(ibmcloud.Task())},
	{"ibm-vpc", func(words ...string) poller.Strategy { return ibmcloud.VPC(words...) }},
	{"ibm-vpc-action", func(words ...string) poller.Strategy { return ibmcloud.VPCAction(words...) }},
	{"ibm-vpc-lifecycle", named(ibmcloud.VPCLifecycle())},
	{"ibm-vpc-provisioning", named(ibmcloud.VPCProvisioning())},
	{"ibm-code-engine", named(ibmcloud.CodeEngine())},
}

func named(s poller.Strategy) func(...string) poller.Strategy {
	return func(...string) poller.Strategy { return s }
}

func strategyNames() string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// strategyFlag is the flag --strategy.
type strategyFlag struct {
	text string
	poller.Strategy
}

func (f *strategyFlag) String() string { return f.text }

func (f *strategyFlag) Set(s string) error {
	name, list, hasWords := strings.Cut(s, ":")
	for _, known := range strategies {
		if known.name != name {
			continue
		}
		if hasWords && !slices.Contains([]string{"ibm-vpc", "ibm-vpc-action"}, name) {
			return fmt.Errorf("%s takes no words", name)
		}
		*f = strategyFlag{s, known.make(strings.FieldsFunc(list, func(r rune) bool { return r == ',' })...)}
		return nil
	}
	return fmt.Errorf("there is no such strategy; there are %s", strategyNames())
}

// cancelFlag is the flag --with.
type cancelFlag struct{ text, method, url string }

func (f *cancelFlag) String() string { return f.text }

func (f *cancelFlag) Set(s string) error {
	parts := strings.Fields(s)
	if len(parts) != 2 || parts[0] != strings.ToUpper(parts[0]) {
		return errors.New("a request is 'METHOD URL'; the URL is relative to that of the first request")
	}
	*f = cancelFlag{text: s, method: parts[0], url: parts[1]}
	return nil
}

// request is what poller.Options wants: ARM does not say how to cancel an
// operation, so the caller must.
func (f *cancelFlag) request() func(poller.Status) (*poller.Request, error) {
	if f.method == "" {
		return nil
	}
	return func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: f.method, URL: f.url}, nil
	}
}
