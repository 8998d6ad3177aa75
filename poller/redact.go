package poller

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/internal/wire"
)

// The String methods below keep queries and credentials out of logs that print
// one of our types with %v or %+v.

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
		return "missing: " + r.Err.Error()
	case len(r.Body) > 0:
		return fmt.Sprintf("in hand (%d bytes)", len(r.Body))
	}
	return "none"
}

// String describes a request without query and body.
func (r Request) String() string {
	return strings.TrimSpace(r.Method + " " + wire.Redacted(r.URL))
}

// String describes options without the values of headers.
func (o Options) String() string {
	return fmt.Sprintf("{Strategy:%s FinalStateVia:%s ResultPointer:%s Words:%v Cadence:%+v Patience:%+v Origins:%v Header:%v Confirm:%v CrossCheck:%v Repeat:%v MaxStatusBytes:%d MaxResultBytes:%d AnswerTime:%s}",
		strategyName(o.Strategy), o.FinalStateVia, o.ResultPointer, o.Words, o.Cadence, o.Patience,
		redactedAll(o.Origins), headerNames(o.Header), o.Confirm, o.CrossCheck, o.Repeat, o.MaxStatusBytes, o.MaxResultBytes, o.AnswerTime)
}

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
