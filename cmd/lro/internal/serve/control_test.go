package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// A console sends requests to a simulator and to its control interface.
type console struct {
	*testing.T
	service, controls http.Client
}

func newConsole(t *testing.T, args ...string) *console {
	t.Helper()
	service, controls, err := serve.Controlled(io.Discard, args...)
	require.NoError(t, err)
	return &console{t, http.Client{Transport: &fakes.Transport{Handler: service}}, http.Client{Transport: &fakes.Transport{Handler: controls}}}
}

// do sends a request to the service, and control sends one to the control interface. Both return
// the status code and the JSON body.
func (c *console) do(request string) (int, any)      { return c.send(&c.service, request) }
func (c *console) control(request string) (int, any) { return c.send(&c.controls, request) }

// send sends a request such as "POST /faults {}".
func (c *console) send(client *http.Client, request string) (code int, doc any) {
	c.Helper()
	parts := strings.SplitN(request+"  ", " ", 3)
	req, err := http.NewRequestWithContext(c.Context(), parts[0], "http://localhost"+parts[1], strings.NewReader(strings.TrimSpace(parts[2])))
	require.NoError(c, err)
	req.Header.Set("Authorization", "Bearer secret")
	resp, err := client.Do(req)
	require.NoError(c, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(c, err)
	if len(text) > 0 {
		require.NoError(c, json.Unmarshal(text, &doc), "%s", text)
	}
	return resp.StatusCode, doc
}

// fail sends a GET to the service and returns the client's error.
func (c *console) fail(path string) error {
	req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := c.service.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

// require sends a request, and checks the status code and the given members of the response.
func (c *console) require(send func(string) (int, any), request string, code int, members map[string]any) {
	c.Helper()
	got, doc := send(request)
	require.Equal(c, code, got, "%s: %v", request, doc)
	for path, want := range members {
		require.Equal(c, want, at(doc, path), "%s: %s of %v", request, path, doc)
	}
}

// at returns a member of doc, such as error.code or requests.0.n, or nil if there is none. A # at
// the end of the path means the length of an array.
func at(doc any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil {
				return len(v)
			}
			if i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func statusURL(n int) string { return "GET /operationsStatuses/" + id(n) }

type members = map[string]any

// Commands of the control interface end an operation right away, and take precedence over
// --duration and --end.
func TestControlEnds(t *testing.T) {
	tests := map[string]struct {
		command string
		want    members // in the status document after the command
	}{
		"succeed":           {"succeed", members{"status": "Succeeded", "error": nil}},
		"fail":              {"fail", members{"status": "Failed", "error.code": "OperationFailed"}},
		"fail with a code":  {`fail {"code": "QuotaExceeded", "message": "No more widgets."}`, members{"status": "Failed", "error.code": "QuotaExceeded", "error.message": "No more widgets."}},
		"cancel":            {"cancel", members{"status": "Canceled", "error.code": "Canceled"}},
		"cancel for reason": {`cancel {"code": "Preempted", "message": "Too slow."}`, members{"status": "Canceled", "error.code": "Preempted"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, operation := range []string{id(1), "%2Fwidgets%2FW1"} {
				c := newConsole(t, "--duration=1h", "--end=failed")
				c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
				c.require(c.do, statusURL(1), 200, members{"status": "Accepted"})
				c.require(c.control, "POST /operations/"+operation+"/"+tt.command, 200, members{"id": id(1), "path": "/widgets/w1", "status": tt.want["status"], "ending": tt.want["status"], "error.code": tt.want["error.code"]})
				c.require(c.do, statusURL(1), 200, tt.want)
				c.require(c.control, "POST /operations/"+operation+"/"+tt.command, 409, members{"error.code": "OperationEnded"})
				c.require(c.control, "GET /operations", 200, members{"operations.#": 1, "operations.0.id": id(1), "operations.0.method": "PUT", "operations.0.status": tt.want["status"]})
			}
		})
	}
}

// Once an ended operation expires, its status URL returns 404, but its resource remains. An
// operation in progress cannot expire.
func TestControlExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--duration=1m")
		c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
		c.require(c.control, "POST /operations/"+id(1)+"/expire", 409, members{"error.code": "OperationInProgress"})
		time.Sleep(time.Minute)
		c.require(c.control, "POST /operations/"+id(1)+"/expire", 204, nil)
		c.require(c.do, statusURL(1), 404, nil)
		c.require(c.do, "GET /widgets/w1", 200, members{"properties.provisioningState": "Succeeded"})
		c.require(c.control, "GET /operations", 200, members{"operations.#": 0})
		c.require(c.control, "POST /operations/"+id(1)+"/expire", 404, members{"error.code": "OperationNotFound"})
	})
}

// A fault that a command adds counts only later requests. Commands can remove any fault, including
// one from the command line.
func TestControlFaults(t *testing.T) {
	c := newConsole(t, "--duration=1h", "--fault=list:500")
	c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
	c.require(c.do, "PUT /widgets/w2 {}", 201, nil)
	c.require(c.do, statusURL(1), 200, nil)
	c.require(c.control, `POST /faults {"fault": "poll:1:503=10s", "path": "/widgets/w1"}`, 201, members{"id": 2.0, "fault": "poll:1:503=10s", "path": "/widgets/w1"})
	c.require(c.do, statusURL(2), 200, nil)
	c.require(c.do, statusURL(1), 503, nil)
	c.require(c.do, statusURL(1), 200, nil)

	c.require(c.control, `POST /faults {"fault": "202"}`, 201, members{"id": 3.0, "path": nil})
	c.require(c.do, statusURL(1), 202, nil)
	c.require(c.do, "PUT /widgets/w3 {}", 202, nil)
	c.require(c.control, "GET /faults", 200, members{"faults.#": 3, "faults.0.fault": "list:500", "faults.1.fault": "poll:1:503=10s", "faults.2.id": 3.0})
	c.require(c.control, "DELETE /faults/3", 204, nil)
	c.require(c.control, "DELETE /faults/3", 404, members{"error.code": "FaultNotFound"})
	c.require(c.control, "DELETE /faults/1", 204, nil)
	c.require(c.do, statusURL(1), 200, nil)
	c.require(c.do, "GET /widgets", 200, nil)
	c.require(c.control, "GET /faults", 200, members{"faults.#": 1})
	c.require(c.control, "GET /requests", 200, members{"requests.4.faults.0": "503=10s", "requests.7.faults.0": "202", "requests.8.faults": nil})
}

// A reset restores the initial resources and the faults from the command line, and numbers
// operations and requests from 1 again.
func TestControlReset(t *testing.T) {
	c := newConsole(t, "--duration=1h", "--items=1", "--fault=begin:2:503")
	for range 2 {
		c.require(c.control, "GET /requests", 200, members{"requests.#": 0})
		c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
		c.require(c.do, "DELETE /widgets/item1", 503, nil)
		c.require(c.do, "DELETE /widgets/item1", 202, nil)
		c.require(c.do, statusURL(1), 200, members{"status": "Accepted"})
		c.require(c.control, `POST /faults {"fault": "500"}`, 201, members{"id": 2.0})
		c.require(c.control, "POST /operations/"+id(2)+"/succeed", 200, nil)
		c.require(c.control, "GET /requests", 200, members{"requests.#": 4, "requests.0.n": 1.0, "requests.2.kind": "begin", "requests.2.nth": 3.0, "requests.2.operation": id(2)})
		c.require(c.control, "POST /reset", 204, nil)
		c.require(c.control, "GET /operations", 200, members{"operations.#": 0})
		c.require(c.do, "GET /widgets", 200, members{"value.0.name": "item1", "value.1": nil})
		c.require(c.control, "POST /reset", 204, nil)
	}
}

// After a reset, the recording continues, although the log numbers the requests from 1 again.
func TestControlResetDuringRecording(t *testing.T) {
	var recorded bytes.Buffer
	service, reset, err := serve.Resettable(&recorded)
	require.NoError(t, err)
	c := &console{t, http.Client{Transport: &fakes.Transport{Handler: service}}, http.Client{}}
	c.require(c.do, "GET /widgets/item1", 200, nil)
	c.require(c.do, "GET /widgets/item2", 200, nil)
	require.NoError(t, reset())
	c.require(c.do, "GET /widgets/item3", 200, nil)
	transcript, err := fakes.ReadTranscript(&recorded)
	require.NoError(t, err)
	require.Equal(t, 3, transcript.Remaining())
}

// The journal contains the last 1,000 requests, without credentials.
func TestControlJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--duration=1h", "--fault=poll:slow=90s", "--fault=list:drop")
		c.require(c.do, `PUT /widgets/w1?api-version=1 {"properties":{"size":1}}`, 201, nil)
		c.require(c.do, statusURL(1), 200, nil)
		require.ErrorIs(t, c.fail("/widgets"), io.EOF)
		c.require(c.control, "GET /requests", 200, members{
			"requests.#": 3, "requests.0.n": 1.0, "requests.0.time": "2000-01-01T00:00:00Z", "requests.0.method": "PUT", "requests.0.url": "/widgets/w1?api-version=1",
			"requests.0.body": `{"properties":{"size":1}}`, "requests.0.header.Authorization.0": "(hidden)", "requests.0.kind": "begin", "requests.0.nth": 1.0,
			"requests.0.operation": id(1), "requests.0.done": true, "requests.0.statusCode": 201.0, "requests.0.retryAfter": "2", "requests.0.state": "Accepted",
			"requests.1.operation": id(1), "requests.1.faults.0": "slow=90s", "requests.1.tookMilliseconds": 90_000.0,
			"requests.2.done": true, "requests.2.statusCode": nil, "requests.2.faults.0": "drop",
		})

		for range 1000 {
			c.require(c.do, "GET /widgets/item1", 200, nil)
		}
		c.require(c.control, "GET /requests", 200, members{"requests.#": 1000, "requests.0.n": 4.0, "requests.999.n": 1003.0})
	})
}

// The journal contains a request that is still waiting for its response.
func TestControlJournalOfHangingRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t, "--fault=read:hang")
		c.service.Timeout = time.Minute
		ended := make(chan error)
		go func() { ended <- c.fail("/widgets/item1") }()
		synctest.Wait()
		c.require(c.control, "GET /requests", 200, members{"requests.0.url": "/widgets/item1", "requests.0.kind": "read", "requests.0.faults.0": "hang", "requests.0.done": false})
		require.Error(t, <-ended)
		synctest.Wait()
		c.require(c.control, "GET /requests", 200, members{"requests.0.done": true, "requests.0.statusCode": nil, "requests.0.tookMilliseconds": 60_000.0})
	})
}

func TestControlHealth(t *testing.T) {
	c := newConsole(t, "--duration=1h")
	c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
	c.require(c.control, "GET /health", 200, members{"status": "ok", "service": "http://127.0.0.1:8089", "operationsInProgress": 1.0})
}

// An invalid command gets a JSON response that says what the control interface expects.
func TestControlErrors(t *testing.T) {
	const wantFault = `want {"fault": "poll:1:503=10s"}, to which "path": "/widgets/w1" may be added.`
	const wantError = `want {"code": "QuotaExceeded", "message": "No more widgets."}, or no body.`
	fail := "POST /operations/" + id(1) + "/fail "
	tests := []struct {
		request       string
		status        int
		code, message string
	}{
		{"POST /faults", 400, "BadRequest", "The fault is missing: " + wantFault},
		{"POST /faults {", 400, "BadRequest", "The body is not valid (unexpected EOF): " + wantFault},
		{"POST /faults fault=503", 400, "BadRequest", "The body is not valid (invalid character 'u' in literal false (expecting 'l')): " + wantFault},
		{"POST /faults []", 400, "BadRequest", "The body is not valid (json: cannot unmarshal array into Go value of type control.faultRequest): " + wantFault},
		{`POST /faults {"falt": "503"}`, 400, "BadRequest", `The body is not valid (json: unknown field "falt"): ` + wantFault},
		{`POST /faults {"fault": "503"} {}`, 400, "BadRequest", `The body is not valid (more than one JSON value): ` + wantFault},
		{`POST /faults {"fault": "poll:99"}`, 400, "BadRequest", "fault poll:99: 99 is not a status code from 200 to 599; to select the requests, add an action, such as 99:503"},
		{"DELETE /faults/x", 404, "FaultNotFound", `There is no fault "x". GET /faults lists all faults.`},
		{"DELETE /faults/1", 404, "FaultNotFound", `There is no fault "1". GET /faults lists all faults.`},
		{"POST /operations/x/fail", 404, "OperationNotFound", `There is no operation "x". GET /operations lists all operations.`},
		{fail + "{", 400, "BadRequest", "The body is not valid (unexpected EOF): " + wantError},
		{"POST /operations/" + id(1) + `/succeed {"code":"X"}`, 400, "BadRequest", "An operation that succeeds has no error."},
		{"POST /operations/" + id(1) + "/expire", 409, "OperationInProgress", "The operation " + id(1) + " is in progress: Accepted. Only an operation that has ended can expire."},
		{fail + `{"message":"` + strings.Repeat("x", 64<<10) + `"}`, 413, "RequestEntityTooLarge", "The body of a command has at most 64 KiB."},
		{"GET /reset", 404, "NotFound", "The control interface has no GET /reset. It has GET /, GET /page.css, GET /page.js, GET /events, GET /health, GET /requests, GET /operations, " +
			"POST /operations/{name}/succeed, POST /operations/{name}/fail, POST /operations/{name}/cancel, POST /operations/{name}/expire, GET /faults, POST /faults, DELETE /faults/{id}, POST /reset."},
	}
	c := newConsole(t, "--duration=1h")
	c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
	for _, tt := range tests {
		c.require(c.control, tt.request, tt.status, members{"error.code": tt.code, "error.message": tt.message})
	}
	c.require(c.control, "GET /faults", 200, members{"faults.#": 0})
	c.require(c.control, "GET /operations", 200, members{"operations.0.status": "Accepted"})
}

// The log shows commands of the control interface, but numbers only requests to the service.
func TestControlLog(t *testing.T) {
	var log strings.Builder
	service, controls, err := serve.Controlled(&log)
	require.NoError(t, err)
	c := &console{t, http.Client{Transport: &fakes.Transport{Handler: service}}, http.Client{Transport: &fakes.Transport{Handler: controls}}}
	c.require(c.do, "PUT /widgets/w1 {}", 201, nil)
	c.require(c.control, "POST /operations/"+id(1)+"/fail", 200, nil)
	c.require(c.control, "GET /operations", 200, nil)
	c.require(c.control, "POST /operations/"+id(1)+"/fail", 409, nil)
	c.require(c.do, statusURL(1), 200, nil)
	require.Regexp(t, `^.{8}    1 PUT    /widgets/w1                201    2s  begin:1  Accepted
.{8}    - POST   /operati…00000000001/fail  200     -           control
.{8}    - POST   /operati…00000000001/fail  409     -           control
.{8}    2 GET    /operati…000-000000000001  200     -  poll:1   Failed
$`, log.String())
}
