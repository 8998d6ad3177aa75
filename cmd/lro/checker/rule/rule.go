package rule

import (
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Severity indicates how serious it is to break a rule.
type Severity string

// The severities, most serious first.
const (
	Must    Severity = "must"    // the specification requires it, or clients rely on it
	Should  Severity = "should"  // the specification recommends it, or only some clients rely on it
	Unusual Severity = "unusual" // breaking the rule is allowed or unspecified, but some clients do not expect it
)

// A Source is the sentence of a specification on which a rule is based.
type Source struct {
	Document, Section string // the titles of the document and section
	Quote             string // verbatim, on one line, without markup
}

// A Rule says what a correct service does, according to a sentence of a specification.
type Rule struct {
	ID       string // in lower case, such as "arm-put-code"
	Topic    string // the Topic of the rule's Table; set by Join
	Title    string // what a correct service does, in one sentence
	Severity Severity
	Source   Source
	Quirks   []string // the quirks in docs/quirks.md that break the rule
	Client   string   // what happens to a client if the service breaks the rule
	Example  string   // what a violation looks like
	Probe    string   // the name of the probe that the rule needs; "" if it needs none

	// On returns the exchanges to which the rule applies. If it returns none, the operation neither
	// follows nor breaks the rule.
	On func(*trace.Operation) []*trace.Exchange

	// Broken returns a description of the mistake in an exchange that On has selected, or "" if the
	// exchange is correct.
	Broken func(*trace.Operation, *trace.Exchange) string
}

// A Finding reports that an operation breaks a rule.
type Finding struct {
	Rule      *Rule
	Operation *trace.Operation
	Exchange  *trace.Exchange // the first exchange that breaks the rule
	Text      string          // what is wrong with the exchange
	Times     int             // how many exchanges of the operation break the rule
}

// Check applies the rule to an operation. It returns a finding if the operation breaks the rule,
// and nil otherwise. The second result is the number of exchanges to which the rule applies.
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

// Join returns the rules from all tables, in order, and sets their topics.
func Join(tables ...Table) (all []*Rule) {
	for _, t := range tables {
		for _, r := range slices.Clone(t.Rules) {
			r.Topic = t.Topic
			all = append(all, &r)
		}
	}
	return all
}

// Find returns the rule with the given ID, or nil.
func Find(rules []*Rule, id string) *Rule {
	i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return rules[i]
}
