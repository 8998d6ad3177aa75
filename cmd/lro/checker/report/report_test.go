package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/fakes"
)

const target = "https://a.test/widgets/w1?api-version=2024-01-01&sig=SECRET1"

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testRules returns five rules. Each read of the status during the operation breaks t-must,
// t-should and t-unusual. No response breaks t-kept, and t-unseen never applies.
func testRules() []*rule.Rule {
	statuses := func(op *trace.Operation) []*trace.Exchange { return op.Reads(trace.Status, trace.During) }
	of := func(id string, s rule.Severity, check rule.Check) rule.Rule {
		return rule.Rule{
			ID: id, Severity: s, Title: "The service does " + id + ".",
			Source: rule.Source{Document: "Reference", Section: "Statuses", Quote: `The "status" MUST <be> set.`},
			Client: "A client waits forever.", Example: "200\n{}", Quirks: []string{"W1"}, On: statuses, Broken: check,
		}
	}
	wrong := func(_ *trace.Operation, x *trace.Exchange) string { return "the word is " + x.Text("/status") }
	unseen := of("t-unseen", rule.Must, wrong)
	unseen.On = func(*trace.Operation) []*trace.Exchange { return nil }
	unseen.Probe = "conflict"
	return rule.Join(
		rule.Table{Topic: "Words", Rules: []rule.Rule{of("t-must", rule.Must, wrong), of("t-should", rule.Should, wrong)}},
		rule.Table{Topic: "Others", Rules: []rule.Rule{
			of("t-kept", rule.Must, func(*trace.Operation, *trace.Exchange) string { return "" }), of("t-unusual", rule.Unusual, wrong), unseen,
		}},
	)
}

// testReport returns a report on an operation with credentials in its URLs, headers and bodies.
func testReport() *report.Report {
	monitor := "https://a.test/operations/1?sig=SECRET2&api-version=2024-01-01"
	op := &trace.Operation{Method: http.MethodPut, URL: target, End: trace.Succeeded, Polled: "Azure-AsyncOperation"}
	op.Add(&trace.Exchange{
		N: 1, Role: trace.Start, Phase: trace.During, Reader: 1, Method: http.MethodPut, URL: target,
		RequestHeader: http.Header{"Authorization": {"Bearer SECRET3"}, "Content-Type": {"application/json"}, "Cookie": {"session=SECRET4"}},
		RequestBody:   []byte(`{"properties":{"password":"SECRET5"}}`),
		At:            start, Took: time.Second, StatusCode: http.StatusCreated,
		Header: http.Header{"Azure-Asyncoperation": {monitor}, "Set-Cookie": {"session=SECRET6"}, "X-Api-Key": {"SECRET7"}, "X-Functions-Key": {"https://SECRET0"}},
		Body:   []byte(`{"id":"/widgets/w1"}`),
	})
	for i := range 2 {
		op.Add(&trace.Exchange{
			N: 2 + i, Role: trace.Status, Phase: trace.During, Reader: 1, Method: http.MethodGet, URL: monitor,
			RequestHeader: http.Header{"Authorization": {"Bearer SECRET3"}},
			At:            start.Add(time.Duration(2+i) * time.Second), Took: 500 * time.Millisecond, StatusCode: http.StatusOK,
			Header: http.Header{"Retry-After": {"1"}, "X-Api-Key": {"SECRET7"}, "X-Functions-Key": {"https://SECRET0"}, "Set-Cookie": {"session=SECRET6"}},
			Body:   []byte(`{"status":"Running\u001b[31m","accessToken":"SECRET8","link":"https://u:SECRET9@b.test/"}`),
		})
	}
	op.Add(&trace.Exchange{
		N: 4, Role: trace.Status, Phase: trace.After, Reader: 2, Method: http.MethodGet, URL: monitor,
		At: start.Add(4 * time.Second), Err: errors.New("connection reset"),
	})
	r := report.New("test", testRules(), []*trace.Operation{op})
	r.Left = []string{target}
	return r
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report.WriteText(&b, testReport()))
	finding := `  PUT https://a.test/widgets/w1?api-version=2024-01-01&REDACTED: the word is Running [31m (2 times)
    | 2. GET https://a.test/operations/1?api-version=2024-01-01&REDACTED
    | 200 OK
    | Retry-After: 1
    | X-Api-Key: REDACTED
    | X-Functions-Key: REDACTED
    |
    | {"status":"Running\u001b[31m","accessToken":"REDACTED","link":"https://b.test/"}

`
	rest := `: The service does %.
      "The \"status\" MUST <be> set." (Reference, Statuses)
      A client waits forever.

`
	head := func(severity, id string) string { return severity + "  " + id + strings.Replace(rest, "%", id, 1) }
	require.Equal(t, head("MUST", "t-must")+finding+head("SHOULD", "t-should")+finding+head("UNUSUAL", "t-unusual")+finding+
		`PUT https://a.test/widgets/w1?api-version=2024-01-01&REDACTED: succeeded, 4 requests in 4s
Not deleted: https://a.test/widgets/w1?api-version=2024-01-01&REDACTED
5 rules of test: 1 passed, 3 broken, 1 not examined
findings: must: 1, should: 1, unusual: 1
`, b.String())
}

func TestNoCredentials(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *report.Report) error{
		"text": report.WriteText, "JSON": report.WriteJSON, "JUnit": report.WriteJUnit, "SARIF": report.WriteSARIF,
	} {
		var b strings.Builder
		require.NoError(t, write(&b, testReport()))
		require.NotContains(t, b.String(), "SECRET", name)
		require.NotContains(t, b.String(), "\x1b", name)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b, testReport()))
	var got struct {
		Spec     string
		OK       bool
		Counts   map[string]int
		Findings []struct {
			Rule, Severity, Operation, Text string
			Source                          struct{ Document, Section, Quote string }
			Times                           int
			Exchange                        report.Evidence
		}
		Operations []struct {
			End      string
			Requests int
			Seconds  float64
		}
		Rules []struct {
			ID       string
			Examined int
			Broken   bool
		}
		Left []string
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, "test", got.Spec)
	require.False(t, got.OK)
	require.Equal(t, map[string]int{"must": 1, "should": 1, "unusual": 1}, got.Counts)
	require.Len(t, got.Findings, 3)
	require.Equal(t, "t-must", got.Findings[0].Rule)
	require.Equal(t, `The "status" MUST <be> set.`, got.Findings[0].Source.Quote)
	require.Equal(t, 2, got.Findings[0].Times)
	require.Equal(t, 2, got.Findings[0].Exchange.Number)
	require.Equal(t, 4.0, got.Operations[0].Seconds)
	require.Equal(t, 4, got.Operations[0].Requests)
	require.Len(t, got.Rules, 5)
	require.Zero(t, got.Rules[4].Examined)
	require.Len(t, got.Left, 1)

	b.Reset()
	require.NoError(t, report.WriteJSON(&b, report.New("test", testRules(), nil)))
	require.NotContains(t, b.String(), "null", "an empty list has to be [], so that programs need no special case")
	require.Contains(t, b.String(), `"ok": true`)
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.WriteJUnit(&b, testReport()))
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
				Output  string    `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &got))
	require.Equal(t, []int{6, 1, 1}, []int{got.Tests, got.Failures, got.Skipped})
	require.Equal(t, "Operations", got.Suites[0].Name)
	require.Nil(t, got.Suites[0].Cases[0].Failure)
	require.Equal(t, "Words", got.Suites[1].Name)
	words := got.Suites[1].Cases
	require.Equal(t, "t-must: The service does t-must.", words[0].Name)
	require.Equal(t, "the word is Running [31m", words[0].Failure.Message)
	require.Contains(t, words[0].Failure.Text, "Retry-After: 1")
	require.Nil(t, words[1].Failure, "only a broken must has to fail the build, as with the exit code")
	require.Contains(t, words[1].Output, "the word is Running")
	others := got.Suites[2].Cases
	require.Nil(t, others[0].Failure)
	require.Nil(t, others[0].Skipped)
	require.NotNil(t, others[2].Skipped)
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.WriteSARIF(&b, testReport()))
	var got struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID, HelpURI string }
				}
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
				WebRequest  struct{ Method, Target string }
				WebResponse struct {
					StatusCode int
					Headers    map[string]string
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, "2.1.0", got.Version)
	run := got.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 5)
	require.True(t, strings.HasSuffix(run.Tool.Driver.Rules[0].HelpURI, "docs/check-rules.md#t-must"))
	require.Len(t, run.Results, 3)
	for i, level := range []string{"error", "warning", "note"} {
		r := run.Results[i]
		require.Equal(t, level, r.Level)
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		require.NotEmpty(t, r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		require.Equal(t, http.MethodGet, r.WebRequest.Method)
		require.Equal(t, http.StatusOK, r.WebResponse.StatusCode)
		require.Equal(t, map[string]string{"Retry-After": "1", "X-Api-Key": "REDACTED", "X-Functions-Key": "REDACTED"}, r.WebResponse.Headers)
	}
}

// A transcript from WriteRecord can be played back. It contains no Authorization or cookie headers,
// and leaves out exchanges with a body in which a line starts with ###.
func TestRecord(t *testing.T) {
	r := testReport()
	var b bytes.Buffer
	require.NoError(t, report.WriteRecord(&b, r))
	for _, secret := range []string{"SECRET3", "SECRET4", "SECRET6"} {
		require.NotContains(t, b.String(), secret, "the transcript must not contain headers with credentials")
	}
	played, err := fakes.ReadTranscript(&b)
	require.NoError(t, err)
	require.Equal(t, 4, played.Remaining())

	put := httptest.NewRequestWithContext(t.Context(), http.MethodPut, target, strings.NewReader(`{"properties":{"password":"SECRET5"}}`))
	put.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	played.ServeHTTP(w, put)
	require.NoError(t, played.Err())
	require.Equal(t, http.StatusCreated, w.Code)
	require.Equal(t, `{"id":"/widgets/w1"}`, w.Body.String())
	require.NotEmpty(t, w.Header().Get("Azure-AsyncOperation"))

	r.Operations[0].Exchanges[1].Body = []byte("a\n### b")
	b.Reset()
	require.EqualError(t, report.WriteRecord(&b, r), "requests [2] are not in the transcript, because a body has a line that starts with ###")
	played, err = fakes.ReadTranscript(&b)
	require.NoError(t, err)
	require.Equal(t, 3, played.Remaining())
}

func TestListAndExplain(t *testing.T) {
	rules := testRules()
	var b strings.Builder
	require.NoError(t, report.List(&b, rules))
	require.Equal(t, `Words
  t-must     must     The service does t-must.
  t-should   should   The service does t-should.
Others
  t-kept     must     The service does t-kept.
  t-unusual  unusual  The service does t-unusual.
  t-unseen   must     The service does t-unseen.
`, b.String())

	b.Reset()
	require.NoError(t, report.Explain(&b, rules[4]))
	require.Equal(t, `t-unseen (must, Others)

The service does t-unseen.

Specification: "The \"status\" MUST <be> set."
  Reference, Statuses

Consequence of a violation: A client waits forever.

Example of a violation:
  200
  {}

lro check examines the rule only with --probe, which sends an invalid request (conflict).

Quirks that break the rule (docs/quirks.md): W1
`, b.String())
}

func TestPage(t *testing.T) {
	page := report.Page(report.Group{Title: "A", Rules: testRules()})
	require.Contains(t, page, "\n## A\n\n### Words\n\n#### t-must\n\n**must**: The service does t-must.\n")
	require.Contains(t, page, "> The \"status\" MUST <be> set.\n>\n> Reference, Statuses\n")
	require.Equal(t, 2, strings.Count(page, "\n### "))
	require.Equal(t, 1, strings.Count(page, "only with `--probe`"))
}

// The report of an incomplete check gives the reason, and OK returns false, so that CI fails if the
// service does not respond.
func TestIncomplete(t *testing.T) {
	for why, change := range map[string]func(*trace.Operation){
		"the service refused the request with 404 Not Found": func(op *trace.Operation) {
			op.End = trace.Refused
			op.Exchanges[0].StatusCode = http.StatusNotFound
		},
		"no response: connection refused": func(op *trace.Operation) {
			op.End = trace.Refused
			op.Exchanges[0].StatusCode = 0
			op.Exchanges[0].Err = errors.New("connection refused")
		},
		"the operation did not end in time": func(op *trace.Operation) { op.End = trace.Unfinished },
		"the request was not sent": func(op *trace.Operation) {
			op.End = trace.Unfinished
			op.Exchanges = nil
		},
	} {
		r := testReport()
		change(r.Operations[0])
		r = report.New("test", testRules(), r.Operations)
		require.False(t, r.OK())
		var text, asJSON, asXML strings.Builder
		require.NoError(t, report.WriteText(&text, r))
		require.Contains(t, text.String(), "  The check is incomplete: "+why+".\n")
		require.NoError(t, report.WriteJSON(&asJSON, r))
		require.Contains(t, asJSON.String(), `"reason": "`+why+`"`)
		require.NoError(t, report.WriteJUnit(&asXML, r))
		require.Contains(t, asXML.String(), `<failure type="incomplete" message="`+why+`">`)
	}
}

// The report shows a GET as "read", because a GET starts no operation.
func TestRead(t *testing.T) {
	op := &trace.Operation{Method: http.MethodGet, URL: "https://a.test/widgets/w1", Listing: true}
	op.Add(&trace.Exchange{N: 1, Role: trace.Resource, Method: op.Method, URL: op.URL, At: start, StatusCode: http.StatusOK})
	r := report.New("test", testRules(), []*trace.Operation{op})
	require.True(t, r.OK())
	var text, asJSON strings.Builder
	require.NoError(t, report.WriteText(&text, r))
	require.Contains(t, text.String(), "GET https://a.test/widgets/w1: read, 1 request in 0s\n")
	require.NoError(t, report.WriteJSON(&asJSON, r))
	require.Contains(t, asJSON.String(), `"end": "read"`)
}
