package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// These types define the XML elements of a JUnit report.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}

	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}

	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}

	junitMessage struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML.
//
// The first suite has a test for each operation, which fails if the check of the operation is
// incomplete. Each further suite covers one topic and has a test for each rule, which is skipped if
// the rule applied to no exchange. If the service broke a rule with the severity [rule.Must], the
// test of the rule fails. For any other severity, the findings become the output of the test.
func WriteJUnit(w io.Writer, r *Report) error {
	operations := junitSuite{Name: "Operations"}
	for _, op := range r.Operations {
		c := junitCase{Class: r.Spec, Name: operationName(op)}
		if why := incompleteReason(op); why != "" {
			c.Failure = &junitMessage{Type: "incomplete", Message: why}
		}
		operations.add(c)
	}
	all := junitSuites{Name: "lro check " + r.Spec, Suites: []junitSuite{operations}}
	for _, one := range r.Rules {
		n := len(all.Suites)
		isNew := n == 0 || all.Suites[n-1].Name != one.Topic
		if isNew {
			all.Suites = append(all.Suites, junitSuite{Name: one.Topic})
		}
		suite := &all.Suites[len(all.Suites)-1]
		suite.add(junitCaseOf(r, one))
	}
	for _, suite := range all.Suites {
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Skipped += suite.Skipped
	}

	_, err := io.WriteString(w, xml.Header)
	if err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	err = enc.Encode(all)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

func junitCaseOf(r *Report, one *rule.Rule) junitCase {
	c := junitCase{Class: r.Spec, Name: one.ID + ": " + one.Title}
	if r.Examined[one.ID] == 0 {
		c.Skipped = &junitMessage{Message: "no exchange of this run was about the rule"}
		return c
	}

	found := r.FindingsOf(one)
	if len(found) == 0 {
		return c
	}
	text := proof(found)
	if one.Severity == rule.Must {
		c.Failure = &junitMessage{Type: string(one.Severity), Message: clean(found[0].Text), Text: text}
		return c
	}
	c.Output = text
	return c
}

// proof returns the findings about one rule as text, each with its exchange.
func proof(found []rule.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s: %s%s\n", operationName(f.Operation), clean(f.Text), times(&f))
		e := evidenceOf(f.Exchange)
		fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.Join(e.Request, "\n"), strings.Join(e.Response, "\n"))
	}
	return b.String()
}
