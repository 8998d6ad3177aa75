package poller

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/wire"
)

// The String methods below keep queries and credentials out of logs that print
// one of our types with %v or %+v, those of GoString with %#v, and those of LogValue
// out of the JSON of log/slog.

// String describes an answer without query, header values and body.
func (a Answer) String() string {
	return fmt.Sprintf("%d from %s (%d bytes)", a.Code, wire.Redacted(a.URL), len(a.Body))
}

// String describes a move without queries and the strategy's memo.
func (m Move) String() string {
	return fmt.Sprintf("%s; poll %s; result %s", m.Status, wire.Redacted(m.Poll), m.Result)
}

// String describes a result without query and body.
func (r Result) String() string {
	switch {
	case r.URL != "":
		return wire.Redacted(r.URL)
	case r.Err != nil:
		return "missing: " + wire.Text(r.Err.Error())
	case len(r.Body) > 0:
		return fmt.Sprintf("in hand (%d bytes)", len(r.Body))
	}
	return "none"
}

// String describes a request without query and body.
func (r Request) String() string {
	return strings.TrimSpace(wire.Text(r.Method) + " " + wire.Redacted(r.URL))
}

// String describes options without the values of headers.
func (o Options) String() string {
	return fmt.Sprintf("{Strategy:%s FinalStateVia:%s ResultPointer:%s Words:%v Cadence:%+v Patience:%+v Origins:%v Header:%v Confirm:%v CrossCheck:%v Repeat:%v MaxStatusBytes:%d MaxResultBytes:%d AnswerTime:%s}",
		strategyName(o.Strategy), wire.Text(string(o.FinalStateVia)), wire.Text(o.ResultPointer), o.Words, o.Cadence, o.Patience,
		redactedAll(o.Origins), headerNames(o.Header), o.Confirm, o.CrossCheck, o.Repeat, o.MaxStatusBytes, o.MaxResultBytes, o.AnswerTime)
}

// String tells how many operations the group has.
func (g *Group) String() string {
	s := g.Stats()
	return fmt.Sprintf("group: %d waiting, %d being read, %d ended", s.Waiting, s.InFlight, s.Ended)
}

// GoString returns what String does.
func (a Answer) GoString() string { return goString("Answer", a) }

// GoString returns what String does.
func (m Move) GoString() string { return goString("Move", m) }

// GoString returns what String does.
func (r Result) GoString() string { return goString("Result", r) }

// GoString returns what String does.
func (r Request) GoString() string { return goString("Request", r) }

// GoString returns what String does.
func (o Options) GoString() string { return goString("Options", o) }

// GoString returns what String does.
func (k Check) GoString() string { return goString("Check", k) }

// GoString returns what String does.
func (r Repeat) GoString() string { return goString("Repeat", r) }

// GoString returns what String does.
func (s Status) GoString() string { return goString("Status", s) }

// GoString returns what String does.
func (p *Poller[T]) GoString() string { return goString("Poller", p) }

// GoString returns what String does.
func (g *Group) GoString() string { return goString("Group", g) }

func goString(name string, v fmt.Stringer) string {
	return fmt.Sprintf("poller.%s(%q)", name, v.String())
}

// LogValue returns what String does.
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// LogValue returns what String does.
func (m Move) LogValue() slog.Value { return slog.StringValue(m.String()) }

// LogValue returns what String does.
func (r Result) LogValue() slog.Value { return slog.StringValue(r.String()) }

// LogValue returns what String does.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }

// LogValue returns what String does.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// LogValue returns what String does.
func (k Check) LogValue() slog.Value { return slog.StringValue(k.String()) }

// LogValue returns what String does.
func (r Repeat) LogValue() slog.Value { return slog.StringValue(r.String()) }

// LogValue returns what String does.
func (s Status) LogValue() slog.Value { return slog.StringValue(s.String()) }

// LogValue returns what String does.
func (p *Poller[T]) LogValue() slog.Value { return slog.StringValue(p.String()) }

// LogValue returns what String does.
func (g *Group) LogValue() slog.Value { return slog.StringValue(g.String()) }

func redactedAll(urls []string) []string {
	out := make([]string, len(urls))
	for i, u := range urls {
		out[i] = wire.Redacted(u)
	}
	return out
}

func headerNames(h http.Header) []string {
	var names []string
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// strategyName is the name of one of ours, else the type.
func strategyName(s Strategy) string {
	if arm, ok := s.(armStrategy); ok {
		return string(arm)
	}
	return fmt.Sprintf("%T", s)
}
