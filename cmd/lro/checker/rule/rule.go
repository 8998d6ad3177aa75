package rule

import (
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Severity says how serious it is to break a rule.
type Severity string

// The severities. If a service breaks a rule with the severity Must, clients that follow the
// specification fail.
const (
	Must    Severity = "must"    // the specification demands it, or clients rely on it
	Should  Severity = "should"  // the specification recommends it, or only some clients rely on it
	Unusual Severity = "unusual" // breaking the rule is allowed or unspecified, but some clients do not expect it
)

// A Source is the sentence that a rule comes from.
type Source struct {
	Document, Section string // the titles of the document and of the section
	Quote             string // on one line, word for word, without markup
}

// A Rule is one requirement of a specification for services.
type Rule struct {
	ID       string // in lower case, such as "arm-put-code"
	Topic    string // the title of the Table that contains the rule
	Title    string // what a correct service does, in one sentence
	Severity Severity
	Source   Source
	Quirks   []string // the quirks of docs/quirks.md that break the rule
	Client   string   // what happens to a client if the service breaks the rule
	Example  string   // messages that break the rule
	Probe    string   // the probe that the check needs to examine the rule; "" if the rule needs no probe

	// On selects the exchanges of an operation that the rule applies to. If it selects none, the operation
	// neither keeps nor breaks the rule.
	On func(*trace.Operation) []*trace.Exchange

	// Broken describes the mistake in an exchange that On has selected, or returns "" if there is
	// none.
	Broken func(*trace.Operation, *trace.Exchange) string
}

// A Finding says that an operation breaks a rule.
type Finding struct {
	Rule      *Rule
	Operation *trace.Operation
	Exchange  *trace.Exchange // the first exchange that proves it
	Text      string          // what is wrong with Exchange
	Times     int             // how many exchanges of the operation prove it
}

// Check applies the rule to an operation. It returns the finding (nil if the operation does not break
// the rule) and the number of exchanges that the rule applies to.
func (r *Rule) Check(op *trace.Operation) (found *Finding, examined int) {
	selected := r.On(op)
	for _, x := range selected {
		text := r.Broken(op, x)
		if text == "" {
			continue
		}
		if found == nil {
			found = &Finding{Rule: r, Operation: op, Exchange: x, Text: text}
		}
		found.Times++
	}
	return found, len(selected)
}

// A Table holds the rules about one topic.
type Table struct {
	Topic string
	Rules []Rule
}

// Join returns the rules of the tables in order, with their topics set.
func Join(tables ...Table) (all []*Rule) {
	for _, t := range tables {
		for _, r := range slices.Clone(t.Rules) {
			r.Topic = t.Topic
			all = append(all, &r)
		}
	}
	return all
}

// Find returns the rule with this ID, or nil.
func Find(rules []*Rule, id string) *Rule {
	i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return rules[i]
}
