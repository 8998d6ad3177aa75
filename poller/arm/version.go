package arm

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/lro-go/lro/poller/check"
	"github.com/lro-go/lro/poller/strategy"
)

// KeepAPIVersion wraps s to add the first request's api-version to URLs of the same host that lack
// one (quirk W15). A read without one that gets a 400 is repeated with one. s is a strategy of this
// package, [Auto] by default.
func KeepAPIVersion(s strategy.Strategy) strategy.Strategy {
	return versioned{cmp.Or(s, Auto)}
}

// A versioned strategy adds an api-version to the URLs from its inner strategy.
type versioned struct{ inner strategy.Strategy }

// ProtocolName returns the strategy's name, as it appears in printed Options.
func (v versioned) ProtocolName() string { return "keep-api-version" }

// Step implements [strategy.Strategy].
func (v versioned) Step(a strategy.Answer) (strategy.Move, error) {
	mv, _, err := v.StepIn(a, strategy.Situation{})
	return mv, err
}

// StepIn implements [strategy.Wrapper].
func (v versioned) StepIn(a strategy.Answer, in strategy.Situation) (strategy.Move, strategy.Detour, error) {
	mv, way, err := check.StepIn(v.inner, a, in)
	mv.Poll = withVersion(&a, mv.Poll)
	mv.Result.URL = withVersion(&a, mv.Result.URL)
	way.Else = withVersion(&a, way.Else)

	again := withVersion(&a, a.Poll)
	wasRefused := err != nil && a.Code == http.StatusBadRequest && !a.First
	if wasRefused && again != a.Poll { // happens only with a token made without KeepAPIVersion
		mv = strategy.Move{Poll: again, Inline: true, Now: true, Memo: a.Memo}
	}
	return mv, way, err
}

// withVersion returns ref with the first request's api-version, unless ref has one or belongs to
// another host.
func withVersion(a *strategy.Answer, ref string) string {
	to, _ := a.Resolve(ref) // "" if ref cannot be resolved
	host, version := versionOf(a.Target)
	itsHost, itsVersion := versionOf(to)
	if version == "" || itsVersion != "" || !strings.EqualFold(host, itsHost) {
		return ref
	}
	to, _, _ = strings.Cut(to, "#")
	path, query, _ := strings.Cut(to, "?")
	return path + "?" + strings.TrimPrefix(query+"&"+version, "&")
}

// versionOf returns a URL's host and its api-version parameter, such as "api-version=2025-01-01".
// ARM accepts the parameter's name in any case and percent-encoded.
func versionOf(rawURL string) (host, version string) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "", ""
	}
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		encoded, _, _ := strings.Cut(parameter, "=")
		name, _ := url.QueryUnescape(encoded) // "" if the encoding is invalid
		if strings.EqualFold(name, "api-version") {
			version = parameter
		}
	}
	return u.Hostname(), version
}
