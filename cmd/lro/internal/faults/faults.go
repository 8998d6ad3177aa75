// Package faults parses the values of --fault, such as poll:3:503=10s.
//
// Parse returns a Rule, which contains a fakes.Fault. A fakes.Service counts the requests and
// decides which of them the fault hits.
package faults

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lro-go/lro/cmd/lro/internal/values"
	"github.com/lro-go/lro/fakes"
)

type middleware = func(http.Handler) http.Handler

// A Rule is a fault together with the text that describes it.
type Rule struct {
	fakes.Fault
	Text   string // the fault as the user wrote it
	Action string // the last part of Text, such as 503=10s
}

// Rules is the value of --fault, which may be given several times.
type Rules []Rule

// String implements pflag.Value.
func (rules *Rules) String() string { return "" }

// Type implements pflag.Value.
func (rules *Rules) Type() string { return "[which:]action" }

// Set implements pflag.Value.
func (rules *Rules) Set(s string) error {
	rule, err := Parse(s)
	if err != nil {
		return err
	}
	*rules = append(*rules, rule)
	return nil
}

var (
	kinds   = []fakes.Kind{fakes.Begin, fakes.Poll, fakes.Result, fakes.Read, fakes.List, fakes.Cancel}
	methods = []string{"GET", "PUT", "PATCH", "POST", "DELETE"}
)

// Parse parses a fault such as poll:3:503=10s.
func Parse(s string) (Rule, error) {
	parts := strings.Split(s, ":")
	selectors := parts[:len(parts)-1]
	text := parts[len(parts)-1]

	rule := Rule{Text: s, Action: text}
	for _, selector := range selectors {
		if err := rule.selectRequests(selector); err != nil {
			return Rule{}, err
		}
	}

	name, arg, _ := strings.Cut(text, "=")
	do, err := action(name, arg)
	if err != nil {
		return Rule{}, err
	}
	rule.Do = do
	return rule, nil
}

// Names returns the shell completions for --fault.
func Names() (names []string) {
	for _, kind := range kinds {
		names = append(names, strings.ToLower(string(kind))+":")
	}
	return append(names, "503", "throttle=10s", "challenge", "html=502", "drop", "truncate=20", "slow=5s", "hang")
}

// selectRequests parses one part of a fault's selector, such as poll, GET or 2-4, and narrows the
// rule accordingly.
func (rule *Rule) selectRequests(part string) error {
	if kind, ok := kindNamed(part); ok && rule.Kind == "" {
		rule.Kind = kind
		return nil
	}
	if slices.Contains(methods, part) && rule.Method == "" {
		rule.Method = part
		return nil
	}
	first, times, ok := parseRange(part)
	if !ok || rule.Nth != 0 {
		return fmt.Errorf("%q does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-", part)
	}
	rule.Nth = first
	rule.Times = times
	return nil
}

func kindNamed(name string) (fakes.Kind, bool) {
	for _, kind := range kinds {
		if strings.ToLower(string(kind)) == name {
			return kind, true
		}
	}
	return "", false
}

// parseRange parses a range of numbers, such as 3, 2-4 or 2-. An open-ended range has length -1.
func parseRange(s string) (first, length int, ok bool) {
	from, to, isRange := strings.Cut(s, "-")
	first, err := strconv.Atoi(from)
	if err != nil || first < 1 {
		return 0, 0, false
	}
	if !isRange {
		return first, 1, true
	}

	if to == "" {
		return first, -1, true
	}

	last, err := strconv.Atoi(to)
	if err != nil || last < first {
		return 0, 0, false
	}
	return first, last - first + 1, true
}

// actions maps the name of each action to the function that returns its middleware. Status codes
// are not in the map. If arg is empty, an action that takes a value uses a default.
var actions = map[string]func(arg string) (middleware, error){
	"drop":      func(arg string) (middleware, error) { return fakes.Drop(), noValue(arg) },
	"hang":      func(arg string) (middleware, error) { return fakes.Hang(), noValue(arg) },
	"challenge": func(arg string) (middleware, error) { return fakes.Challenge(""), noValue(arg) },
	"html": func(arg string) (middleware, error) {
		code, err := parseCode(cmp.Or(arg, "502"))
		return fakes.HTML(code), err
	},
	"truncate": func(arg string) (middleware, error) {
		n, err := values.ParseCount(cmp.Or(arg, "20"))
		return fakes.Truncate(n), err
	},
	"slow": func(arg string) (middleware, error) {
		d, err := values.ParsePeriod(cmp.Or(arg, "5s"))
		return fakes.Slow(d), err
	},
	"throttle": func(arg string) (middleware, error) {
		d, err := values.ParsePeriod(cmp.Or(arg, "10s"))
		return fakes.Throttle(d), err
	},
}

// action returns the middleware that carries out the named action.
func action(name, arg string) (middleware, error) {
	build, ok := actions[name]
	if !ok {
		return statusAction(name, arg)
	}
	do, err := build(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return do, nil
}

// statusAction returns the middleware that responds with a status code. Unless arg is empty, it
// must be a duration, which the middleware sends in the Retry-After header, rounded up to whole
// seconds.
func statusAction(name, arg string) (middleware, error) {
	code, err := parseCode(name)
	if err != nil {
		if n, notNumber := strconv.Atoi(name); notNumber == nil && n > 0 {
			return nil, fmt.Errorf("%d is not a status code from 200 to 599; to select the requests, add an action, such as %d:503", n, n)
		}
		return nil, fmt.Errorf("%q is not an action: want drop, hang, slow, truncate, html, throttle, challenge or a status code such as 503", name)
	}

	status := fakes.Status(code)
	if arg == "" {
		return status, nil
	}
	d, err := values.ParsePeriod(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	after := fakes.Header("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	return func(next http.Handler) http.Handler { return after(status(next)) }, nil
}

func parseCode(s string) (int, error) {
	code, err := strconv.Atoi(s)
	if err != nil || code < 200 || code > 599 {
		return 0, errors.New("want a status code from 200 to 599")
	}
	return code, nil
}

func noValue(arg string) error {
	if arg != "" {
		return errors.New("takes no value")
	}
	return nil
}
