// Package report checks the observed operations against the rules of a specification, and writes a
// report.
//
// New creates a Report. WriteText writes it for people, WriteJSON for programs, and WriteJUnit and
// WriteSARIF for CI systems; all four redact credentials. The package sends nothing.
package report

import (
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// A Report says which rules a service breaks.
type Report struct {
	Spec       string             // the name of the specification
	Rules      []*rule.Rule       // all rules of the specification
	Operations []*trace.Operation // in the order in which they were started
	Findings   []rule.Finding     // in the order of the rules
	Examined   map[string]int     // how many exchanges each rule applied to, by the ID of the rule
	Others     []*trace.Operation // deletions in the cleanup, and operations started by a probe; the rules are not applied to them
	Left       []string           // the URLs of resources that the check created, or may have created, and did not delete
}

// New applies the rules to the operations, and returns a Report with the findings.
func New(spec string, rules []*rule.Rule, operations []*trace.Operation) *Report {
	r := &Report{Spec: spec, Rules: rules, Operations: operations, Examined: map[string]int{}}
	for _, one := range rules {
		for _, op := range operations {
			found, examined := one.Check(op)
			r.Examined[one.ID] += examined
			if found != nil {
				r.Findings = append(r.Findings, *found)
			}
		}
	}
	return r
}

// Count returns the number of findings with the severity s.
func (r *Report) Count(s rule.Severity) (n int) {
	for _, f := range r.Findings {
		if f.Rule.Severity == s {
			n++
		}
	}
	return n
}

// Broken returns the IDs of the rules that the service breaks, in the order of the rules.
func (r *Report) Broken() (ids []string) {
	for _, f := range r.Findings {
		ids = append(ids, f.Rule.ID)
	}
	return slices.Compact(ids)
}

// Unfinished returns the operations whose end was not observed, because the service refused the
// request or time ran out.
func (r *Report) Unfinished() (all []*trace.Operation) {
	for _, op := range r.Operations {
		if !op.Ended() {
			all = append(all, op)
		}
	}
	return all
}

// FindingsOf returns the findings about one rule, at most one for each operation.
func (r *Report) FindingsOf(one *rule.Rule) (found []rule.Finding) {
	for _, f := range r.Findings {
		if f.Rule == one {
			found = append(found, f)
		}
	}
	return found
}

// OK reports whether the service broke no rule with the severity must and the end of every
// operation was observed.
func (r *Report) OK() bool { return r.Count(rule.Must) == 0 && len(r.Unfinished()) == 0 }
