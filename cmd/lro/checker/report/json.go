package report

import (
	"encoding/json"
	"io"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// These types define the JSON form of a report.
type (
	jsonReport struct {
		Spec       string                `json:"spec"`
		OK         bool                  `json:"ok"` // no finding has the severity "must", and the check of every operation is complete
		Counts     map[rule.Severity]int `json:"counts"`
		Findings   []jsonFinding         `json:"findings"`
		Operations []jsonOperation       `json:"operations"`
		Rules      []jsonRule            `json:"rules"`
		Left       []string              `json:"left"` // resources that the check created or may have created but did not delete; see Report.Left
	}

	jsonFinding struct {
		Rule      string        `json:"rule"`
		Severity  rule.Severity `json:"severity"`
		Title     string        `json:"title"`
		Source    jsonSource    `json:"source"`
		Client    string        `json:"client"`
		Quirks    []string      `json:"quirks"`
		Operation string        `json:"operation"`
		Text      string        `json:"text"`
		Times     int           `json:"times"`
		Exchange  Evidence      `json:"exchange"`
	}

	jsonSource struct {
		Document string `json:"document"`
		Section  string `json:"section"`
		Quote    string `json:"quote"`
	}

	jsonOperation struct {
		Operation string  `json:"operation"`
		End       string  `json:"end"`
		Reason    string  `json:"reason,omitempty"` // why the check of the operation is incomplete
		Requests  int     `json:"requests"`
		Seconds   float64 `json:"seconds"`
	}

	jsonRule struct {
		ID       string        `json:"id"`
		Severity rule.Severity `json:"severity"`
		Topic    string        `json:"topic"`
		Examined int           `json:"examined"` // how many exchanges the rule applied to
		Broken   bool          `json:"broken"`
	}
)

// WriteJSON writes the report as one JSON object.
func WriteJSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // keeps URLs readable
	enc.SetIndent("", "  ")
	return enc.Encode(jsonOf(r))
}

func jsonOf(r *Report) *jsonReport {
	out := &jsonReport{
		Spec:       r.Spec,
		OK:         r.OK(),
		Counts:     map[rule.Severity]int{},
		Findings:   []jsonFinding{}, // not nil, which would be written as null
		Operations: []jsonOperation{},
		Left:       []string{},
	}
	for _, s := range severities {
		out.Counts[s] = r.Count(s)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, jsonFinding{
			Rule:      f.Rule.ID,
			Severity:  f.Rule.Severity,
			Title:     f.Rule.Title,
			Source:    jsonSource(f.Rule.Source),
			Client:    f.Rule.Client,
			Quirks:    append([]string{}, f.Rule.Quirks...),
			Operation: operationName(f.Operation),
			Text:      clean(f.Text),
			Times:     f.Times,
			Exchange:  evidenceOf(f.Exchange),
		})
	}
	for _, op := range r.Operations {
		out.Operations = append(out.Operations, jsonOperation{operationName(op), endOf(op), incompleteReason(op), len(op.Exchanges), tookOf(op).Seconds()})
	}
	for _, left := range r.Left {
		out.Left = append(out.Left, cleanURL(left))
	}
	for _, one := range r.Rules {
		out.Rules = append(out.Rules, jsonRule{one.ID, one.Severity, one.Topic, r.Examined[one.ID], len(r.FindingsOf(one)) > 0})
	}
	return out
}
