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

// A Report contains the results of a check.
type Report struct {
	Spec       string             // the name of the specification
	Rules      []*rule.Rule       // all rules of the specification
	Operations []*trace.Operation // in the order in which they were started
	Findings   []rule.Finding     // ordered by rule, then by operation
	Examined   map[string]int     // how many exchanges each rule applied to, by rule ID
	Others     []*trace.Operation // deletions in the cleanup, and operations started by a probe; the rules are not applied to them
	Left       []string           // what the check created or may have created but did not delete: the URL of each resource or, if that is unknown, the method and URL of the POST
}

// New applies the rules to the operations and returns a Report with the findings.
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

// Count returns the number of findings with severity s.
func (r *Report) Count(s rule.Severity) (n int) {
	for _, f := range r.Findings {
		if f.Rule.Severity == s {
			n++
		}
	}
	return n
}

// Broken returns the IDs of the rules that the service breaks, in the same order as r.Rules.
func (r *Report) Broken() (ids []string) {
	for _, f := range r.Findings {
		ids = append(ids, f.Rule.ID)
	}
	return slices.Compact(ids)
}

// Unfinished returns the operations whose check is incomplete, for example because the service
// refused the request or time ran out.
func (r *Report) Unfinished() (all []*trace.Operation) {
	for _, op := range r.Operations {
		if !op.Ended() {
			all = append(all, op)
		}
	}
	return all
}

// FindingsOf returns the findings for a rule, at most one per operation.
func (r *Report) FindingsOf(one *rule.Rule) (found []rule.Finding) {
	for _, f := range r.Findings {
		if f.Rule == one {
			found = append(found, f)
		}
	}
	return found
}

// OK reports whether the check of every operation is complete (see [Report.Unfinished]) and found
// no violation of a rule with the severity [rule.Must].
func (r *Report) OK() bool { return r.Count(rule.Must) == 0 && len(r.Unfinished()) == 0 }
