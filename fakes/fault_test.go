package fakes_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// Nth and Times determine which of six polls fail. In the table, x stands for a failed poll.
func TestFaultNthAndTimes(t *testing.T) {
	tests := []struct {
		nth, times int
		want       string
	}{
		{0, 0, "xxxxxx"},
		{0, 2, "xx...."},
		{0, -1, "xxxxxx"},
		{3, 0, "..x..."},
		{3, 2, "..xx.."},
		{3, -1, "..xxxx"},
		{1, 1, "x....."},
		{7, 0, "......"},
	}
	for _, tt := range tests {
		svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever}}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: tt.nth, Times: tt.times, Do: fakes.Status(503)})
		c := newTester(t, svc)
		c.do("PUT", widget, "{}")
		got := ""
		for range 6 {
			c.get(widget) // not a poll, so the fault does not count it
			got += map[int]string{200: ".", 503: "x"}[c.get(statusURL).code]
		}
		require.Equal(t, tt.want, got, "Nth %d, Times %d", tt.nth, tt.times)
	}
}

// A fault selects requests by kind, method and path. Each row of the table lists the indexes of the
// requests that the fault hits.
func TestFaultMatches(t *testing.T) {
	tests := map[string]struct {
		fault fakes.Fault
		want  string
	}{
		"any":             {fakes.Fault{}, "0 1 2 3 4 5 6 7"},
		"begin":           {fakes.Fault{Kind: fakes.Begin}, "0 5"},
		"delete":          {fakes.Fault{Kind: fakes.Begin, Method: "DELETE"}, "5"},
		"poll":            {fakes.Fault{Kind: fakes.Poll}, "1 2 6"},
		"result":          {fakes.Fault{Kind: fakes.Result}, "3"},
		"read":            {fakes.Fault{Kind: fakes.Read}, "4"},
		"cancel":          {fakes.Fault{Kind: fakes.Cancel}, "7"},
		"list":            {fakes.Fault{Kind: fakes.List}, ""},
		"path":            {fakes.Fault{Path: strings.ToUpper(widget)}, "0 1 2 3 4 5 6 7"},
		"polls of a path": {fakes.Fault{Path: widget, Kind: fakes.Poll, Nth: 2}, "2"},
		"another path":    {fakes.Fault{Path: widget + "2"}, ""},
		"path of polls":   {fakes.Fault{Path: scope}, "1 2 3 6 7"},
		"GET":             {fakes.Fault{Method: "GET"}, "1 2 3 4 6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := &fakes.Service{Default: fakes.Plan{Polls: 1}}
			tt.fault.Do = fakes.Header("X-Hit", "1")
			svc.Fault(tt.fault)
			c := newTester(t, svc)
			second := strings.Replace(statusURL, "01?", "02?", 1)
			var hit []string
			for i, r := range []reply{
				c.do("PUT", widget, "{}"), c.get(statusURL), c.get(statusURL), c.get(resultURL), c.get(widget),
				c.do("DELETE", widget, ""), c.get(second), c.do("DELETE", second, ""),
			} {
				if r.header.Get("X-Hit") != "" {
					hit = append(hit, fmt.Sprint(i))
				}
			}
			require.Equal(t, tt.want, strings.Join(hit, " "))
		})
	}
}

func TestFaultsCompose(t *testing.T) {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Do: fakes.Header("X-Order", "outer")})
	svc.Fault(fakes.Fault{Do: fakes.Header("X-Order", "inner")})
	svc.Fault(fakes.Fault{}) // a Fault without Do changes nothing
	require.Equal(t, "outer", newTester(t, svc).get("/widgets").header.Get("X-Order"))
}

// In a synctest bubble, each fault has the expected effect after exactly the expected time. A fault
// that takes no time must have the same effect over a socket.
func TestFaultKinds(t *testing.T) {
	const body = `{"value":[]}`
	bom := fakes.Edit(func(a *fakes.Answer) { a.Body = append([]byte("\ufeff"), a.Body...) })
	tests := map[string]struct {
		do   func(http.Handler) http.Handler
		want string
		took time.Duration
	}{
		"status":                       {fakes.Status(503), `503 application/json code ServiceUnavailable {"error":{"code":"ServiceUnavailable","message":"The request was answered 503 Service Unavailable."}}`, 0},
		"teapot":                       {fakes.Status(418), `418 application/json code Imateapot {"error":{"code":"Imateapot","message":"The request was answered 418 I'm a teapot."}}`, 0},
		"no content":                   {fakes.Status(204), "204  code  ", 0},
		"throttle":                     {fakes.Throttle(90 * time.Second), `429 application/json code TooManyRequests after 90 {"error":{"code":"TooManyRequests","message":"The request is being throttled."}}`, 0},
		"throttle without Retry-After": {fakes.Throttle(0), `429 application/json code TooManyRequests {"error":{"code":"TooManyRequests","message":"The request is being throttled."}}`, 0},
		"JSON":                         {fakes.Respond(200, `[1]`), "200 application/json code  [1]", 0},
		"text":                         {fakes.Respond(500, "oops"), "500 text/plain; charset=utf-8 code  oops", 0},
		"nothing":                      {fakes.Respond(200, ""), "200  code  ", 0},
		"HTML":                         {fakes.HTML(200), "200 text/html; charset=utf-8 code  <!DOCTYPE html>\n<html><head><title>Runtime Error</title></head><body><h1>Something went wrong</h1></body></html>\n", 0},
		"header":                       {fakes.Header("Retry-After", "soon"), "200 application/json code  after soon " + body, 0},
		"no header":                    {fakes.Header("Content-Type", ""), "200 text/plain; charset=utf-8 code  " + body, 0},
		"BOM":                          {bom, "200 application/json code  \ufeff" + body, 0},
		"wrong length":                 {fakes.Header("Content-Length", "99"), "200 application/json code  " + body + " unexpected EOF", 0},
		"drop":                         {fakes.Drop(), "EOF", 0},
		"truncate 0":                   {fakes.Truncate(0), "200 application/json code   unexpected EOF", 0},
		"truncate 5":                   {fakes.Truncate(5), `200 application/json code  {"val unexpected EOF`, 0},
		"truncate 12":                  {fakes.Truncate(12), "EOF", 0},
		"slow":                         {fakes.Slow(time.Minute), "200 application/json code  " + body, time.Minute},
		"slow and dropped":             {func(h http.Handler) http.Handler { return fakes.Slow(time.Minute)(fakes.Drop()(h)) }, "EOF", time.Minute},
		"too slow":                     {fakes.Slow(time.Hour), "deadline", 10 * time.Minute},
		"hang":                         {fakes.Hang(), "deadline", 10 * time.Minute},
		"stall":                        {fakes.Stall(5), `200 application/json code  {"val context deadline exceeded`, 10 * time.Minute},
		"stall, no body":               {fakes.Stall(12), "deadline", 10 * time.Minute},
		"trickle":                      {fakes.Trickle(5, time.Second), "200 application/json code  " + body, 3 * time.Second},
		"trickle 0":                    {fakes.Trickle(0, time.Second), "200 application/json code  " + body, 12 * time.Second},
		"too slow trickle":             {fakes.Trickle(5, 6*time.Minute), `200 application/json code  {"val context deadline exceeded`, 10 * time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := &fakes.Service{}
				svc.Fault(fakes.Fault{Do: tt.do})
				start := time.Now()
				require.Equal(t, tt.want, describeGet(t, fakes.Client(svc), "https://a.test/widgets"))
				require.Equal(t, tt.took, time.Since(start))
			})
			if tt.took == 0 {
				svc := &fakes.Service{}
				svc.Fault(fakes.Fault{Do: tt.do})
				srv := httptest.NewServer(svc)
				defer srv.Close()
				require.Equal(t, tt.want, describeGet(t, srv.Client(), srv.URL+"/widgets"))
			}
		})
	}
}

// describeGet sends a GET with a ten-minute timeout and describes the response or error.
func describeGet(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return "deadline"
		}
		require.ErrorIs(t, err, io.EOF)
		return "EOF"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	seen := fmt.Sprintf("%d %s code %s ", resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("X-Ms-Error-Code"))
	if after := resp.Header.Get("Retry-After"); after != "" {
		seen += "after " + after + " "
	}
	seen += string(body)
	if err != nil {
		seen += " " + err.Error()
	}
	return seen
}

// A poll that reaches the service advances the operation, even if a fault changes the response. A
// poll that the fault itself answers does not.
func TestFaultsAndPolls(t *testing.T) {
	for _, tt := range []struct {
		do   func(http.Handler) http.Handler
		want string
	}{
		{fakes.Status(500), "x Accepted Provisioning Succeeded"},
		{fakes.Truncate(3), "x Provisioning Succeeded Succeeded"},
	} {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: tt.do})
		c := newTester(t, svc)
		c.do("PUT", widget, "{}")
		got := []string{}
		for range 4 {
			r, err := c.try(nil, "GET", statusURL, "")
			require.NoError(t, err)
			if r.err != nil || r.code != 200 {
				got = append(got, "x")
				continue
			}
			got = append(got, r.status())
		}
		require.Equal(t, tt.want, strings.Join(got, " "))
	}
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Slow(time.Minute)})
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 2, Do: fakes.Drop()})
		c, start := newTester(t, svc), time.Now()
		c.do("PUT", widget, `{"a":1}`)
		time.Sleep(time.Minute)
		c.get(statusURL)
		_, err := c.try(nil, "GET", statusURL, "")
		require.ErrorIs(t, err, io.EOF)
		c.get("/nothing/here")

		log := svc.Requests()
		got := []string{}
		for _, r := range log {
			got = append(got, fmt.Sprint(r.Time.Sub(start), " ", r.Method, " ", r.Kind, " ", r.Operation, " ", r.StatusCode))
		}
		require.Equal(t, []string{
			"0s PUT Begin " + first + " 201",
			"1m0s GET Poll " + first + " 200",
			"2m0s GET Poll " + first + " 0",
			"2m0s GET Read  404",
		}, got)
		require.Equal(t, host+widget+query, log[0].URL)
		require.Equal(t, widget, log[0].Path)
		require.Equal(t, `{"a":1}`, string(log[0].Body))
		log[0].Header.Set("X", "changed by the caller")
		require.Empty(t, svc.Requests()[0].Header.Get("X"))
	})
}
