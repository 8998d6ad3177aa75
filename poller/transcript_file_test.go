package poller_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/aip151"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/fhir"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/redfish"
	inresource "github.com/lro-go/lro/poller/resource" // renamed, because these tests have a constant named resource
)

// A conversation is a file in testdata, in the format of fakes.ReadTranscript, with the messages
// between a poller and a service. The separator before a request gives the time of the request.
// Comments before the first separator set the options and the expected ending:
//
//	# expect: result {"id":"w1"}    the outcome, as describeEnding writes it
//	# elapsed: 2m                   the time from the first request to the outcome
//	# strategy: location            Options.Strategy
//	# via: location                 Options.FinalStateVia
//	# pointer: /properties          Options.ResultPointer
//	# words: Ready=Succeeded        Options.Words
//	# origins: https://b.test       Options.Origins
//	# deadline: 5m                  the deadline of the context
//	# resumed: the body is lost     why a resumed operation ends differently
//
// The first two settings are required. Any other comment explains the file, and names the quirk or
// the section of a specification on which the file is based.
type conversation struct {
	text     []byte
	opts     poller.Options
	expect   string
	elapsed  time.Duration
	deadline time.Duration // zero means none
	resumed  string        // why a resumed operation ends differently; "" if it does not
	asked    []asked       // the expected requests
}

// asked is a request that was sent or is expected, with the time since the first request.
type asked struct {
	at   time.Duration
	what string // the method and the URL
}

func (a asked) String() string { return a.at.String() + " " + a.what }

var settingLine = regexp.MustCompile(`^# ([a-z]+): (.*)$`)

// parseConversation parses the settings of a conversation, and the time, method and URL of each
// request. fakes.ReadTranscript parses the messages themselves.
func parseConversation(text []byte) (*conversation, error) {
	c := &conversation{text: text}
	elapsed := false
	head, _, _ := bytes.Cut(text, []byte("\n###"))
	for line := range strings.Lines(string(head)) {
		m := settingLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		elapsed = elapsed || m[1] == "elapsed"
		if err := c.set(m[1], m[2]); err != nil {
			return nil, fmt.Errorf("%s: %w", m[1], err)
		}
	}
	if c.expect == "" || !elapsed {
		return nil, errors.New("expect and elapsed are required")
	}
	return c, c.requests()
}

var strategies = map[string]poller.Strategy{
	"azure-async-operation": arm.AsyncOperation,
	"operation-location":    arm.OperationLocation,
	"location":              arm.Location,
	"provisioning-state":    arm.ProvisioningState,
	"keep-api-version":      arm.KeepAPIVersion(nil),

	"ibm-operation":           ibmcloud.Operation{},
	"ibm-operation-widget":    ibmcloud.Operation{Target: "/widget"},
	"ibm-operation-nested":    ibmcloud.Operation{Status: "/operation/state", Target: "/operation/result_url", Percent: "/operation/done", After: "/operation/wait"},
	"ibm-resource":            inresource.Strategy{},
	"ibm-resource-powervs":    inresource.Strategy{Status: "/status/state", Succeeded: []string{"completed"}, Failed: []string{"failed"}},
	"ibm-resource-controller": ibmcloud.ResourceController(),
	"ibm-task":                ibmcloud.Task(),
	"ibm-vpc":                 ibmcloud.VPC(),
	"ibm-vpc-stopped":         ibmcloud.VPC("stopped"),
	"ibm-vpc-action":          ibmcloud.VPCAction("stopped"),
	"ibm-vpc-lifecycle":       ibmcloud.VPCLifecycle(),
	"ibm-vpc-provisioning":    ibmcloud.VPCProvisioning(),
	"ibm-code-engine":         ibmcloud.CodeEngine(),

	"aip151":  aip151.Operation{},
	"redfish": redfish.TaskMonitor{},
	"fhir":    fhir.Async{},
}

func (c *conversation) set(name, value string) (err error) {
	switch name {
	case "expect":
		c.expect = value
	case "elapsed":
		c.elapsed, err = time.ParseDuration(value)
	case "deadline":
		c.deadline, err = time.ParseDuration(value)
	case "resumed":
		c.resumed = value
	case "strategy":
		if c.opts.Strategy = strategies[value]; c.opts.Strategy == nil {
			err = fmt.Errorf("there is no %s", value)
		}
	case "via":
		c.opts.FinalStateVia = poller.FinalStateVia(value)
	case "pointer":
		c.opts.ResultPointer = value
	case "words":
		word, state, _ := strings.Cut(value, "=")
		c.opts.Words = map[string]poller.State{word: poller.State(state)}
	case "origins":
		c.opts.Origins = strings.Fields(value)
	default:
		err = errors.New("there is no such setting")
	}
	return err
}

// requests collects the expected requests and their times in c.asked. It skips every second
// message, which is a response.
func (c *conversation) requests() error {
	for i, m := range c.messages() {
		if i%2 == 1 {
			continue
		}
		at, rest, _ := strings.Cut(m, "\n")
		when, err := time.ParseDuration(strings.TrimSpace(at))
		if err != nil {
			return fmt.Errorf("request %d: when? %w", i/2+1, err)
		}
		line, _, _ := strings.Cut(rest, " HTTP/1.1\n")
		c.asked = append(c.asked, asked{when, line})
	}
	return nil
}

// messages splits the conversation into its messages. Each starts with the text after ### in the
// separator, such as the time of a request.
func (c *conversation) messages() []string {
	return strings.Split(string(c.text), "\n###")[1:]
}

// firstRequest returns the request that starts the operation.
func (c *conversation) firstRequest() (*http.Request, error) {
	_, text, _ := strings.Cut(c.messages()[0], "\n")
	head, body, _ := strings.Cut(text+"\n", "\n\n")
	parsed, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\n\n")))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(parsed.Method, parsed.URL.String(), strings.NewReader(body)) //nolint:noctx // the request needs no context here
	if err != nil {
		return nil, err
	}
	req.Header = parsed.Header
	if body == "" {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
	}
	return req, nil
}

func (c *conversation) reader() io.Reader { return bytes.NewReader(c.text) }
