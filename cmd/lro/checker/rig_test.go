package checker_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/fakes"
)

const (
	origin  = "https://a.test"
	group   = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Contoso"
	widgets = group + "/widgets"
	widget  = widgets + "/w1"
	version = "?api-version=2026-01-01"
)

// requests parses lines of the form METHOD PATH BODY, where BODY is optional.
func requests(lines ...string) (all []checker.Request) {
	for _, line := range lines {
		method, rest, _ := strings.Cut(line, " ")
		path, body, _ := strings.Cut(rest, " ")
		all = append(all, checker.Request{Method: method, URL: origin + path + version, Body: []byte(body)})
	}
	return all
}

// life lists the requests that most tests send: create a widget, change it twice, invoke an action,
// read the listing and the widget, and delete the widget.
var life = []string{
	"PUT " + widget + ` {"properties":{"size":1}}`,
	"PUT " + widget + ` {"properties":{"size":2}}`,
	"PATCH " + widget + ` {"properties":{"size":3}}`,
	"POST " + widget + "/restart",
	"GET " + widgets,
	"GET " + widget,
	"DELETE " + widget,
}

// check runs a check against svc in a synctest bubble.
func check(t *testing.T, svc http.Handler, o *checker.Options) (r *report.Report) {
	synctest.Test(t, func(t *testing.T) { r = checkHere(t, svc, o) })
	return r
}

func checkHere(t *testing.T, svc http.Handler, o *checker.Options) *report.Report {
	if o.Spec == "" {
		o.Spec = rules.ARM
	}
	o.Client = func() *http.Client { return fakes.Client(svc) }
	r, err := checker.Check(t.Context(), o)
	require.NoError(t, err)
	return r
}

// findings formats each finding as one line.
func findings(r *report.Report) (lines []string) {
	for _, f := range r.Findings {
		lines = append(lines, f.Rule.ID+": "+f.Operation.Method+": "+f.Exchange.Method+" "+f.Exchange.Path()+": "+f.Text)
	}
	return lines
}
