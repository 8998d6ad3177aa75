package serve_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/fakes"
)

const origin = "https://management.example.test"

// TestFlags checks how each flag changes the responses. Each step of a script is a request, a
// duration to wait, or POLL, which reads the status URL of the last operation.
func TestFlags(t *testing.T) {
	tests := []struct{ name, args, script, want string }{
		{"defaults", "", "PUT /widgets/w1, POLL, 20s, POLL, GET /widgets/w1", "201 Accepted 2s, 200 Accepted 2s, 200 Succeeded, 200 Succeeded"},
		{"duration", "--duration 72h", "PUT /widgets/w1, 71h59m59s, POLL, 1s, POLL", "201 Accepted 2s, 200 Accepted 2s, 200 Succeeded"},
		{"no duration", "--duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Succeeded"},
		{"polls", "--polls 2", "PUT /widgets/w1, POLL, POLL, POLL", "201 Accepted 2s, 200 Accepted 2s, 200 Provisioning 2s, 200 Succeeded"},
		{"no polls", "--polls 0", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Succeeded"},
		{"polls and duration", "--polls 2 --duration 1m", "PUT /widgets/w1, POLL, POLL, POLL, 1m, POLL", "201 Accepted 2s, 200 Accepted 2s, 200 Provisioning 2s, 200 Provisioning 2s, 200 Succeeded"},
		{"retry-after", "--retry-after 90s", "PUT /widgets/w1", "201 Accepted 90s"},
		{"no retry-after", "--retry-after 0s", "PUT /widgets/w1, POLL", "201 Accepted, 200 Accepted"},
		{"failed", "--end failed --duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Failed OperationFailed"},
		{"canceled", "--end canceled --duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Canceled Canceled"},
		{"error code", "--error-code QuotaExceeded --duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Failed QuotaExceeded"},
		{"error of a cancellation", "--error-code Preempted --end canceled --duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Canceled Preempted"},

		{"a listing", "", "GET /widgets", "200 item1 item2 next"},
		{"page size", "--page-size 1", "GET /widgets", "200 item1 next"},
		{"one page", "--page-size 0", "GET /widgets", "200 item1 item2 item3"},
		{"items", "--items 1", "GET /widgets", "200 item1"},
		{"no items", "--items 0", "GET /widgets, DELETE /widgets/item1", "200, 204"},

		{"operation-location", "--strategy operation-location --duration 0s", "PUT /widgets/w1, POLL", "201 Accepted 2s Operation-Location, 200 Succeeded"},
		{"location", "--strategy location --duration 0s", "PUT /widgets/w1, POLL", "202 2s Location, 201 Succeeded"},
		{"provisioning state", "--strategy provisioning-state --polls 1", "PUT /widgets/w1, GET /widgets/w1, GET /widgets/w1", "201 Accepted 2s, 200 Accepted 2s, 200 Succeeded"},
		{"arohcp", "--style arohcp --duration 0s", "PUT " + cluster + ", POLL", "201 Accepted, 200 Succeeded"},
		{"arohcp needs a version", "--style arohcp", "PUT /widgets/w1", "400 InvalidParameter"},
		{"ibmcloud", "--style ibmcloud --duration 0s", "PUT /v1/widgets/w1, POLL", "202 not_started 2s Location, 200 succeeded"},
		{"a task", "--style ibmcloud --strategy ibm-task", "PATCH /v5/ibm/deployments/item1", "202 queued 2s"},
		{"vpc", "--style ibmcloud --strategy ibm-vpc --polls 1", "PUT /v1/instances/i1, GET /v1/instances/i1, GET /v1/instances/i1", "201 pending 2s, 200 pending 2s, 200 running"},

		{"a quirk", "--quirk W8 --duration 0s", "PUT /widgets/w1", "200 Accepted 2s"},
		{"two quirks", "--quirk W8 --quirk W1 --duration 0s", "PUT /widgets/w1, POLL, POLL, POLL", "200 Accepted 2s, 404 ResourceNotFound, 404 ResourceNotFound, 200 Succeeded"},

		{"every request", "--fault 503", "GET /widgets/item1, GET /widgets/item1", "503 ServiceUnavailable, 503 ServiceUnavailable"},
		{"the nth request", "--fault 2:418", "GET /widgets/item1, GET /widgets/item1, GET /widgets/item1", "200 Succeeded, 418 Imateapot, 200 Succeeded"},
		{"a range", "--fault 2-3:503", "GET /widgets/item1, GET /widgets/item1, GET /widgets/item1, GET /widgets/item1", "200 Succeeded, 503 ServiceUnavailable, 503 ServiceUnavailable, 200 Succeeded"},
		{"all but the first", "--fault 2-:503", "GET /widgets/item1, GET /widgets/item1, GET /widgets/item1", "200 Succeeded, 503 ServiceUnavailable, 503 ServiceUnavailable"},
		{"the nth poll", "--fault poll:2:503=90s", "PUT /widgets/w1, POLL, GET /widgets/item1, POLL, POLL", "201 Accepted 2s, 200 Accepted 2s, 200 Succeeded, 503 ServiceUnavailable 90s, 200 Provisioning 2s"},
		{"a listing fails", "--fault list:500", "GET /widgets, GET /widgets/item1", "500 InternalServerError, 200 Succeeded"},
		{"a method", "--fault DELETE:403", "DELETE /widgets/item1, GET /widgets/item1", "403 Forbidden, 200 Succeeded"},
		{"a kind and a method", "--fault begin:DELETE:1:403", "PUT /widgets/w1, DELETE /widgets/item1, DELETE /widgets/item2", "201 Accepted 2s, 403 Forbidden, 202 2s Location"},
		{"throttle", "--fault throttle=30s", "GET /widgets", "429 TooManyRequests 30s"},
		{"throttle for ten seconds", "--fault throttle", "GET /widgets", "429 TooManyRequests 10s"},
		{"challenge", "--fault challenge", "GET /widgets", "401 InvalidAuthenticationToken Www-Authenticate"},
		{"html", "--fault html", "GET /widgets", "502 html"},
		{"html with a status", "--fault html=200", "GET /widgets", "200 html"},
		{"slow", "--duration 1m --fault poll:1:slow=1m", "PUT /widgets/w1, POLL", "201 Accepted 2s, 200 Succeeded"},
		{"drop", "--fault 1:drop", "GET /widgets/item1, GET /widgets/item1", "EOF, 200 Succeeded"},
		{"truncate", "--fault truncate=5", "GET /widgets/item1", `200 {"id"`},
		{"hang", "--fault 1:hang", "GET /widgets/item1, GET /widgets/item1", "deadline, 200 Succeeded"},
		{"two faults", "--fault 1:503 --fault 2:drop", "GET /widgets/item1, GET /widgets/item1", "503 ServiceUnavailable, EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, err := serve.Handler(io.Discard, nil, strings.Fields(tt.args)...)
				require.NoError(t, err)
				c := &client{Client: http.Client{Transport: &fakes.Transport{Handler: h}, Timeout: 10 * time.Minute}}
				var got []string
				for step := range strings.SplitSeq(tt.script, ", ") {
					if d, err := time.ParseDuration(step); err == nil {
						time.Sleep(d)
						continue
					}
					got = append(got, c.do(t, step))
				}
				require.Equal(t, tt.want, strings.Join(got, ", "))
			})
		})
	}
}

const cluster = "/subscriptions/s1/resourceGroups/g1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c1?api-version=2024-06-10-preview"

// A client runs a script, one step at a time.
type client struct {
	http.Client
	monitor string      // the status URL of the last operation
	header  http.Header // the headers of the last response
	body    []byte
}

// do runs a step and summarizes the response: its status code, state, error code, Retry-After and
// other notable headers.
func (c *client) do(t *testing.T, step string) string {
	t.Helper()
	method, target, _ := strings.Cut(step, " ")
	if method == "POLL" {
		method, target = "GET", strings.TrimPrefix(c.monitor, origin)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, origin+target, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := c.Do(req)
	c.header, c.body = nil, nil
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case err != nil:
		require.ErrorIs(t, err, io.EOF)
		return "EOF"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	c.header, c.body = resp.Header, body
	words := []string{resp.Status[:3]}
	switch {
	case err != nil:
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		words = append(words, string(body))
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		words = append(words, "html")
	case len(body) > 0:
		words = append(words, describe(t, body)...)
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		words = append(words, after+"s")
	}
	first := ""
	for _, name := range []string{"Azure-AsyncOperation", "Operation-Location", "Location", "WWW-Authenticate"} {
		if value := resp.Header.Get(name); value != "" {
			first = cmp.Or(first, value)
			if name != "Azure-AsyncOperation" {
				words = append(words, http.CanonicalHeaderKey(name))
			}
		}
	}
	if method != "GET" {
		c.monitor = first
	}
	return strings.Join(words, " ")
}

// describe summarizes a JSON body: the state, the error code, the names of the items, and whether
// there is a next link.
func describe(t *testing.T, body []byte) (words []string) {
	t.Helper()
	var doc struct {
		Status            string
		ProvisioningState string
		Properties        struct{ ProvisioningState string }
		Task              struct{ Status string }
		Error             struct{ Code string }
		Value             []struct{ Name string }
		NextLink          string
	}
	require.NoError(t, json.Unmarshal(body, &doc), "%s", body)
	words = []string{cmp.Or(doc.Status, doc.ProvisioningState, doc.Properties.ProvisioningState, doc.Task.Status), doc.Error.Code}
	for _, item := range doc.Value {
		words = append(words, item.Name)
	}
	if doc.NextLink != "" {
		words = append(words, "next")
	}
	return strings.Fields(strings.Join(words, " "))
}

func TestFlagErrors(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--duration 5", `--duration 5: want a number and a unit, such as 20s, 1m30s or 72h`},
		{"--retry-after -1s", `--retry-after -1s: want a time of at least 0s`},
		{"--polls -1", `--polls -1: want a whole number of at least 0`},
		{"--items many", `--items many: want a whole number of at least 0`},
		{"--style gcp", `--style gcp: want one of arm, arohcp, ibmcloud`},
		{"--end done", `--end done: want one of succeeded, failed, canceled`},
		{"--strategy ibm-vpc", "--strategy ibm-vpc: --style arm accepts only azure-async-operation, operation-location, location, provisioning-state"},
		{"--style arohcp --retry-after 2s", "--retry-after: ARO-HCP sends no Retry-After"},
		{"--end succeeded --error-code X", "--error-code and --error-message need --end failed or --end canceled"},
		{"--quirk W9", `--quirk W9: want W9/200 or W9/flag; lro serve quirks lists all names`},
		{"--quirk W9999", `--quirk W9999: want a name such as W3 or W9/flag; lro serve quirks lists all names`},
		{"--fault 99", `--fault 99: 99 is not a status code from 200 to 599; to select the requests, add an action, such as 99:503`},
		{"--fault poll:explode", `--fault poll:explode: "explode" is not an action: want drop, hang, slow, truncate, html, throttle, challenge or a status code such as 503`},
		{"--fault pole:503", `--fault pole:503: "pole" does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-`},
		{"--fault 0:503", `--fault 0:503: "0" does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-`},
		{"--fault 4-2:503", `--fault 4-2:503: "4-2" does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-`},
		{"--fault 2--1:503", `--fault 2--1:503: "2--1" does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-`},
		{"--fault 2-x:503", `--fault 2-x:503: "2-x" does not select requests: want begin, poll, result, read, list, cancel or a method, then a number such as 3, 2-4 or 2-`},
		{"--fault slow=5", `--fault slow=5: slow: want a number and a unit, such as 20s, 1m30s or 72h`},
		{"--fault drop=5", `--fault drop=5: drop: takes no value`},
		{"--fault html=99", `--fault html=99: html: want a status code from 200 to 599`},
		{"--fault 503=later", `--fault 503=later: 503: want a number and a unit, such as 20s, 1m30s or 72h`},
		{"--addr 80", `--addr "80": want HOST:PORT, such as 127.0.0.1:8089`},
		{"--addr 0.0.0.0:0", "--addr 0.0.0.0:0: other machines could reach this address; add --allow-remote if they should"},
		{"--addr example.test:0", "--addr example.test:0: other machines could reach this address; add --allow-remote if they should"},
		{"--addr 127.0.0.1:0 --record no/such/folder/x.http", "--record: open no/such/folder/x.http: no such file or directory"},
		{"--fast", "unknown flag: --fast; see lro help serve"},
		{"extra", `"extra": lro serve takes only flags, such as --style arohcp; see lro help serve`},
		{"--style ibmcloud --quirk W18", "--quirk: quirks imitate Azure services; choose --style arm or arohcp"},
	}
	for _, tt := range tests {
		cmd := serve.Command()
		cmd.SetArgs(strings.Fields(tt.args))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		err := cmd.ExecuteContext(t.Context())
		require.EqualError(t, err, tt.want, tt.args)
		_, ran := errors.AsType[serve.Error](err)
		require.Equal(t, strings.Contains(tt.args, "--record"), ran, "all errors except a missing folder are mistakes in the command line")
	}
}
