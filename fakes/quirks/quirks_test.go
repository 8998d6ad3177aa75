package quirks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/fakes/ibmcloud"
	"github.com/lro-go/lro/fakes/quirks"
)

// A quirkRow is a conversation with a service that has a quirk. Each request is one line, and the
// next line is its response: the status code, the headers that contain a URL or a pause, and the
// body.
//
//	PUT /w/1 {"size":1}
//	201 Location: https://a.test/w/1?api-version=1 {"id":"/w/1"}
//
// The line "seed /w/1 {}" stores a resource, and the line "after 1h" waits for an hour. In every
// line, op1 and op2 stand for the IDs of the first two operations.
type quirkRow struct {
	quirk quirks.Quirk
	plan  fakes.Plan
	says  string
}

// These exchanges start the first operation and read its status. Most quirks do not change them.
const (
	create = `
		PUT /w/1 {"properties":{"size":1}}
		201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
	`
	readAccepted = `
		GET /operationsStatuses/op1
		200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
	`
	readSucceeded = `
		GET /operationsStatuses/op1
		200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
	`
)

func (row quirkRow) check(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: row.plan}
		svc.Quirk(row.quirk, "/w")
		var want, got []string
		for line := range strings.Lines(row.says) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			want = append(want, line)
			if first, _, _ := strings.Cut(line, " "); strings.ToUpper(first) == strings.ToLower(first) {
				continue // a response
			}
			got = append(got, line)
			if answer := sendLine(t, svc, line); answer != "" {
				got = append(got, answer)
			}
		}
		require.Equal(t, want, got)
	})
}

// sendLine carries out a line of a quirkRow and returns the response as one line, or "" if the line
// is not a request.
func sendLine(t *testing.T, svc *fakes.Service, line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	where, body, _ := strings.Cut(rest, " ")
	switch verb {
	case "seed":
		svc.Put(where, json.RawMessage(body))
		return ""
	case "after":
		pause, err := time.ParseDuration(where)
		require.NoError(t, err)
		time.Sleep(pause)
		return ""
	}
	if strings.HasPrefix(where, "/") {
		where = host + where
	}
	if !strings.Contains(where, "?") {
		where += "?api-version=1"
	}
	for i := range 2 {
		where = strings.ReplaceAll(where, fmt.Sprintf("op%d", i+1), operationID(i+1))
	}
	r := newTester(t, svc).do(verb, where, body)
	answer := fmt.Sprint(r.code)
	for _, name := range []string{"Azure-AsyncOperation", "Operation-Location", "Location", "Retry-After"} {
		if value := r.header.Get(name); value != "" {
			answer += " " + name + ": " + value
		}
	}
	answer = strings.TrimSpace(answer + " " + r.body)
	for i := range 2 {
		answer = strings.ReplaceAll(answer, operationID(i+1), fmt.Sprintf("op%d", i+1))
	}
	return answer
}

func operationID(n int) string { return fmt.Sprintf("%s%d", strings.TrimSuffix(first, "1"), n) }

func checkAll(t *testing.T, rows []quirkRow) {
	for _, row := range rows {
		t.Run(string(row.quirk), row.check)
	}
}

func TestUnknownQuirk(t *testing.T) {
	require.Panics(t, func() { new(fakes.Service).Quirk(quirks.Quirk("W0"), "") })
}

// A quirk that is turned on for w1 does not affect w12.
func TestQuirkPath(t *testing.T) {
	svc := &fakes.Service{}
	svc.Quirk(quirks.CreatesWith200, widget)
	c := newTester(t, svc)
	require.Equal(t, 201, c.do(http.MethodPut, widget+"2", "").code)
	require.Equal(t, 200, c.do(http.MethodPut, widget, "").code)
}

// With every combination of quirk, service, style and method, every request gets a response.
func TestQuirksOfEveryService(t *testing.T) {
	services := []struct {
		name  string
		make  func() *fakes.Service
		style fakes.Style // the test tries all styles up to this one
	}{
		{"plain", func() *fakes.Service { return &fakes.Service{} }, fakes.Synchronous},
		{"ARO-HCP", arohcp.New, fakes.AzureAsyncOperation},
		{"IBM Cloud", func() *fakes.Service { return ibmcloud.New(nil) }, ibmcloud.AppStatus},
	}
	for _, quirk := range quirks.All() {
		for _, at := range services {
			for style := fakes.Style(0); style <= at.style; style = max(1, style<<1) {
				svc := at.make()
				svc.Default = fakes.Plan{Style: style, Polls: 1}
				svc.Quirk(quirk, "")
				for _, method := range []string{"PUT", "PATCH", "POST", "DELETE", "PUT"} {
					requireAnswered(t, svc, method, fmt.Sprint(quirk, " at ", at.name, ", ", method, ", style ", style))
				}
			}
		}
	}
}

func requireAnswered(t *testing.T, svc *fakes.Service, method, what string) {
	c := newTester(t, svc)
	path := widget
	if method == http.MethodPost {
		path += "/requestAdminCredential"
	}
	started, err := c.try(method, path, `{"properties":{"size":1}}`)
	require.NoError(t, err, what)
	for _, name := range []string{"Azure-AsyncOperation", "Operation-Location", "Location"} {
		for range 3 {
			u, err := url.Parse(started.header.Get(name))
			require.NoError(t, err, what)
			if u.Host == "" {
				continue // the header is missing, or its URL has no host
			}
			r, err := c.try(http.MethodGet, u.String(), "")
			require.NoError(t, err, what)
			require.NotZero(t, r.code, what)
		}
	}
	_, err = c.try(http.MethodGet, widget, "")
	require.NoError(t, err, what)
}
