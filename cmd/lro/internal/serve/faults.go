package serve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
)

type middleware = func(http.Handler) http.Handler

// faultRules is the value of --fault.
type faultRules []fakes.Fault

func (rules *faultRules) String() string { return "" }
func (rules *faultRules) Type() string   { return "[which:]action" }

func (rules *faultRules) Set(s string) error {
	f, err := parseFault(s)
	if err == nil {
		*rules = append(*rules, f)
	}
	return err
}

var kinds = []fakes.Kind{fakes.Begin, fakes.Poll, fakes.Result, fakes.Read, fakes.List, fakes.Cancel}

// parseFault parses a fault such as poll:3:503=10s.
func parseFault(s string) (f fakes.Fault, err error) {
	parts := strings.Split(s, ":")
	text := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		if err := selectRequests(&f, part); err != nil {
			return f, err
		}
	}
	name, arg, _ := strings.Cut(text, "=")
	do, err := action(name, arg)
	f.Do = noted(text, do)
	return f, err
}

// faultNames returns the values of --fault that a shell offers as completions.
func faultNames() (names []string) {
	for _, kind := range kinds {
		names = append(names, strings.ToLower(string(kind))+":")
	}
	return append(names, "503", "throttle=10s", "challenge", "html=502", "drop", "truncate=20", "slow=5s", "hang")
}

// selectRequests parses one part of a fault's selector, such as poll, GET or 2-4, and narrows f to
// the requests that it selects.
func selectRequests(f *fakes.Fault, part string) error {
	switch kind := slices.IndexFunc(kinds, func(k fakes.Kind) bool { return strings.ToLower(string(k)) == part }); {
	case kind >= 0 && f.Kind == "":
		f.Kind = kinds[kind]
		return nil
	case slices.Contains([]string{"GET", "PUT", "PATCH", "POST", "DELETE"}, part) && f.Method == "":
		f.Method = part
		return nil
	}
	from, to, isRange := strings.Cut(part, "-")
	first, err := strconv.Atoi(from)
	last := first
	switch {
	case err == nil && isRange && to == "":
		last = -1
	case err == nil && isRange:
		last, err = strconv.Atoi(to)
	}
	if err != nil || f.Nth != 0 || first < 1 || last != -1 && last < first {
		return fmt.Errorf("%q does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-", part)
	}
	f.Nth, f.Times = first, last-first+1
	if last == -1 {
		f.Times = -1
	}
	return nil
}

// action returns the middleware that carries out the named action. If arg is empty, the action uses
// a default.
func action(name, arg string) (do middleware, err error) {
	switch name {
	case "drop":
		do, err = fakes.Drop(), noValue(arg)
	case "hang":
		do, err = fakes.Hang(), noValue(arg)
	case "challenge":
		do, err = fakes.Challenge(""), noValue(arg)
	case "html":
		var code int
		code, err = parseCode(cmp.Or(arg, "502"))
		do = fakes.HTML(code)
	case "truncate":
		var n int
		n, err = parseCount(cmp.Or(arg, "20"))
		do = fakes.Truncate(n)
	case "slow":
		var d time.Duration
		d, err = parsePeriod(cmp.Or(arg, "5s"))
		do = fakes.Slow(d)
	case "throttle":
		var d time.Duration
		d, err = parsePeriod(cmp.Or(arg, "10s"))
		do = fakes.Throttle(d)
	default:
		return statusAction(name, arg)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return do, err
}

// statusAction returns the action that answers with a status code and, unless arg is empty, with
// arg as the Retry-After.
func statusAction(name, arg string) (middleware, error) {
	code, err := parseCode(name)
	if n, notNumber := strconv.Atoi(name); err != nil && notNumber == nil && n > 0 {
		return nil, fmt.Errorf("%d is not a status code from 200 to 599; to select the requests, add an action, such as %d:503", n, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not an action: want drop, hang, slow, truncate, html, throttle, challenge or a status code such as 503", name)
	}
	status := fakes.Status(code)
	if arg == "" {
		return status, nil
	}
	d, err := parsePeriod(arg)
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
