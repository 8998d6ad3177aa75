package report

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// rulesPage is the URL of docs/check-rules.md.
const rulesPage = "https://github.com/lro-go/lro/blob/main/docs/check-rules.md"

// These types define the SARIF 2.1.0 objects in a report (section 3 of the standard).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}

	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}

	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}

	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}

	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		HelpURI string      `json:"helpUri"`
		Default sarifConfig `json:"defaultConfiguration"`
	}

	sarifConfig struct {
		Level string `json:"level"`
	}

	sarifText struct {
		Text string `json:"text"`
	}

	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Count     int             `json:"occurrenceCount"`
		Request   *sarifRequest   `json:"webRequest"`
		Response  *sarifResponse  `json:"webResponse"`
	}

	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}

	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}

	sarifArtifact struct {
		URI string `json:"uri"`
	}

	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}

	sarifRequest struct {
		Protocol string            `json:"protocol"`
		Version  string            `json:"version"`
		Target   string            `json:"target"`
		Method   string            `json:"method"`
		Headers  map[string]string `json:"headers,omitempty"`
		Body     *sarifText        `json:"body,omitempty"`
	}

	sarifResponse struct {
		Protocol   string            `json:"protocol"`
		Version    string            `json:"version"`
		StatusCode int               `json:"statusCode,omitempty"`
		Reason     string            `json:"reasonPhrase,omitempty"`
		Headers    map[string]string `json:"headers,omitempty"`
		Body       *sarifText        `json:"body,omitempty"`
		None       bool              `json:"noResponseReceived"`
	}
)

// levels maps each severity to a SARIF level.
var levels = map[rule.Severity]string{rule.Must: "error", rule.Should: "warning", rule.Unusual: "note"}

// WriteSARIF writes the report in the Static Analysis Results Interchange Format (SARIF), version
// 2.1.0.
func WriteSARIF(w io.Writer, r *Report) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "lro check", URI: rulesPage, Rules: []sarifRule{}}},
		Results: []sarifResult{},
	}
	indexes := map[*rule.Rule]int{}
	for i, one := range r.Rules {
		indexes[one] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(one))
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, sarifResultOf(&f, indexes[f.Rule]))
	}

	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // keeps URLs readable
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifRuleOf(one *rule.Rule) sarifRule {
	var help strings.Builder
	_ = Explain(&help, one) // writes to a strings.Builder never fail
	return sarifRule{
		ID:      one.ID,
		Short:   sarifText{one.Title},
		Full:    sarifText{one.Source.Quote},
		Help:    sarifText{help.String()},
		HelpURI: rulesPage + "#" + one.ID,
		Default: sarifConfig{levels[one.Severity]},
	}
}

func sarifResultOf(f *rule.Finding, index int) sarifResult {
	op := f.Operation
	return sarifResult{
		RuleID:    f.Rule.ID,
		RuleIndex: index,
		Level:     levels[f.Rule.Severity],
		Message:   sarifText{operationName(op) + ": " + clean(f.Text)},
		Locations: []sarifLocation{{sarifPhysical{sarifArtifact{cleanURL(op.URL)}}, []sarifLogical{{operationName(op)}}}},
		Count:     f.Times,
		Request:   sarifRequestOf(f.Exchange),
		Response:  sarifResponseOf(f.Exchange),
	}
}

func sarifRequestOf(x *trace.Exchange) *sarifRequest {
	return &sarifRequest{
		Protocol: "http",
		Version:  "1.1",
		Target:   cleanURL(x.URL),
		Method:   x.Method,
		Headers:  sarifHeaders(x.RequestHeader),
		Body:     sarifBody(x.RequestBody),
	}
}

func sarifResponseOf(x *trace.Exchange) *sarifResponse {
	return &sarifResponse{
		Protocol:   "http",
		Version:    "1.1",
		StatusCode: x.StatusCode,
		Reason:     http.StatusText(x.StatusCode),
		Headers:    sarifHeaders(x.Header),
		Body:       sarifBody(x.JSON()),
		None:       x.StatusCode == 0,
	}
}

// sarifHeaders returns the first value of each header. It omits or redacts credentials.
func sarifHeaders(h http.Header) map[string]string {
	headers := map[string]string{}
	for name, values := range h {
		if len(values) > 0 && !isSecret(name) {
			headers[name] = cleanHeader(name, values[0])
		}
	}
	return headers
}

func sarifBody(body []byte) *sarifText {
	if len(body) == 0 {
		return nil
	}
	return &sarifText{clean(string(body))}
}
