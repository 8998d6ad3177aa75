package flags

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
	"github.com/lro-go/lro/transport"
)

// A durationFlag accepts a non-negative duration.
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
	if err != nil {
		return errors.New("a duration needs a unit, such as 5s or 2m")
	}
	if d < 0 {
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

// An originsFlag accepts URLs and keeps their origins.
type originsFlag []string

func (f *originsFlag) String() string { return strings.Join(*f, " ") }
func (f *originsFlag) Type() string   { return "origin" }

func (f *originsFlag) Set(s string) error {
	origin, err := originOf(s)
	if err != nil {
		return err
	}
	*f = append(*f, origin)
	return nil
}

// originOf returns the origin of a URL. An error omits the URL's path and query, which may hold a
// signature.
func originOf(s string) (string, error) {
	if !IsURL(s) {
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
	if !ok || name == "" {
		return errors.New("a header has the form 'Name: value'")
	}
	if name == "Authorization" || name == "Proxy-Authorization" {
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

// Error rewords err, an error from parsing the command line, to name the flag and the mistake. It
// omits the values of most flags, because a header or a URL may contain a secret.
func Error(err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	name := "--" + invalid.GetFlag().Name
	switch invalid.GetFlag().Value.(type) {
	case *durationFlag, *choiceFlag, *strategyFlag, *untilFlag:
		name += " " + invalid.GetValue()
	}
	return fmt.Errorf("%s: %w", name, invalid.Unwrap())
}
