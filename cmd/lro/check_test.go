package main

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

const checkedWidget = "https://a.test/widgets/w1?api-version=1"

func TestCheck(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}})
	got := r.exec("check", "PUT "+checkedWidget+` {"properties":{"size":1}}`, "DELETE "+checkedWidget)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Contains(t, got.err, "lro check will send\n  PUT https://a.test/widgets/w1?REDACTED\n")
	require.Contains(t, got.out, "of arm: ")

	r = newRig(t, &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}})
	got = r.exec("check", "PUT "+checkedWidget+` {}`)
	require.Equal(t, output.ExitOK, got.code, got)
	_, left := r.Resource("/widgets/w1")
	require.False(t, left, "the check has to delete what it has created")

	r = newRig(t, &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}})
	r.Quirk(quirks.TopLevelState, "")
	got = r.exec("check", "-q", "PUT "+checkedWidget+` {}`)
	require.Equal(t, output.ExitFailed, got.code, got)
	require.Contains(t, got.out, "MUST  arm-put-state: ")
	require.Contains(t, got.out, "MUST contain a provisioningState property")
	require.Empty(t, got.err)
	require.Contains(t, got.out, "Not deleted: https://a.test/widgets/w1", "after a 200, the resource may have existed before")
	_, exists := r.Resource("/widgets/w1")
	require.True(t, exists)
}

// --record never overwrites a file. If lro cannot create an output file, it reports an error before
// it sends any request.
func TestCheckFiles(t *testing.T) {
	for _, args := range [][]string{{"--record=taken.http"}, {"--record=missing/check.http"}, {"-o=text=missing/check.txt"}} {
		r := newRig(t, &fakes.Service{})
		save(t, "taken.http", "mine")
		got := r.exec(append([]string{"check", "PUT " + checkedWidget + " {}"}, args...)...)
		require.Equal(t, output.ExitUsage, got.code, got)
		require.Empty(t, r.Requests())
		kept, err := os.ReadFile("taken.http")
		require.NoError(t, err)
		require.Equal(t, "mine", string(kept))
	}
}

// lro check succeeds if the service breaks only rules whose severity is "should".
func TestCheckShould(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: 10 * time.Second}})
	r.Quirk(quirks.CreatesWith200, "")
	got := r.exec("check", "PUT "+checkedWidget+` {}`)
	require.Equal(t, output.ExitOK, got.code, got)
	require.Contains(t, got.out, "SHOULD  arm-put-created: ")
}

func TestCheckRefused(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	got := r.exec("check", "PATCH "+checkedWidget+` {}`)
	require.Equal(t, output.ExitRefused, got.code, got)
}

func TestCheckInterrupted(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Duration: time.Hour}})
	r.onRequest(fakes.Poll, func(*http.Request) {
		r.interrupt(output.StopError{Text: "stopped by a signal"})
	})
	got := r.exec("check", "PUT "+checkedWidget+` {}`)
	require.Equal(t, output.ExitStopped, got.code, got)
	require.Contains(t, r.sent(), "DELETE /widgets/w1")
}

// lro check reads the requests in a transcript and skips its responses and comments.
func TestCheckFile(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.stdin = `# widgets
### create
PUT https://a.test/widgets/w1?api-version=1 HTTP/1.1
X-Flavor: plain

{"properties":{"size":1}}
###
HTTP/1.1 201 Created

{}
### delete
DELETE /widgets/w1?api-version=1
Host: a.test
`
	got := r.exec("check", "-")
	require.Equal(t, output.ExitOK, got.code, got)
	put := r.Requests()[2] // the first two requests read the resource, once over each connection
	require.Equal(t, "plain", put.Header.Get("X-Flavor"))
	require.JSONEq(t, `{"properties":{"size":1}}`, string(put.Body))
	require.Equal(t, []string{"GET /widgets/w1", "GET /widgets/w1", "PUT /widgets/w1"}, r.sent()[:3])
	require.Contains(t, r.sent(), "DELETE /widgets/w1")
}

func TestCheckOutputs(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Quirk(quirks.TopLevelState, "")
	r.env = append(r.env, "LRO_TOKEN=secret-token-1234")
	got := r.exec("check", "PUT "+checkedWidget+` {}`, "-o", "json", "-o", "junit=check.xml", "-o", "sarif=check.sarif", "-o", "text=check.txt", "--record", "check.http")
	require.Equal(t, output.ExitFailed, got.code, got)
	require.True(t, json.Valid([]byte(got.out)))
	for _, name := range []string{"check.xml", "check.sarif", "check.txt", "check.http"} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotContains(t, string(b), "secret-token-1234", name)
		if name == "check.xml" {
			require.NoError(t, xml.Unmarshal(b, new(struct{})))
		}
		if name == "check.sarif" {
			require.True(t, json.Valid(b))
		}
	}
	require.NotContains(t, got.out+got.err, "secret-token-1234")
	file, err := os.Open("check.http")
	require.NoError(t, err)
	defer file.Close()
	transcript, err := fakes.ReadTranscript(file)
	require.NoError(t, err)
	require.Equal(t, len(r.Requests()), transcript.Remaining())
}

func TestCheckUsage(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.NoError(t, os.WriteFile("secret.http", []byte("PUT https://a.test/w HTTP/1.1\nAuthorization: Bearer x\n"), 0o600))
	require.NoError(t, os.WriteFile("empty.http", []byte("###\n"), 0o600))
	for want, args := range map[string][]string{
		"lro check takes at least one request or file; see lro help check":    {},
		"must not contain an Authorization header; use --token-command or $L": {"secret.http"},
		"empty.http has no request such as":                                   {"empty.http"},
		"no such file":                                                        {"missing.http"},
		"a request needs an absolute URL":                                     {"PUT /widgets/w1"},
		"unknown specification":                                               {"PUT " + checkedWidget, "--spec", "soap"},
		"the format must be one of text, json, junit, sarif":                  {"PUT " + checkedWidget, "-o", "yaml"},
		"the bearer token would cross the network unencrypted":                {"PUT http://a.test/w1", "--token-command", "echo x"},
		"--spec: the specification must be one of arm, ibm-operation, ibm-re": {"--rules", "--spec", "soap"},
	} {
		got := r.exec(append([]string{"check"}, args...)...)
		require.Equal(t, output.ExitUsage, got.code, got)
		require.Contains(t, got.failure(t).Text, want)
	}
	require.Empty(t, r.Requests())
}

func TestCheckRules(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	got := r.exec("check", "--rules")
	require.Equal(t, output.ExitOK, got.code)
	require.Contains(t, got.out, "  arm-put-code ")
	got = r.exec("check", "--rules", "--spec", "ibm-operation")
	require.Contains(t, got.out, "  ibm-operation-status ")

	got = r.exec("help", "check", "arm-put-state")
	require.Equal(t, output.ExitOK, got.code)
	require.Contains(t, got.out, "Since provisioning is not complete, the PUT response body MUST contain")
	got = r.exec("help", "check", "arm-nothing")
	require.Equal(t, output.ExitUsage, got.code)
	require.Contains(t, got.failure(t).Text, `there is no rule "arm-nothing"; see lro check --rules`)
}
