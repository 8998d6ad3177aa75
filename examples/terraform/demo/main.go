// Demo shows what happens to an operation that outlives a run of tofu. Package lrotftest simulates
// tofu, and a server on the loopback interface simulates the service. The provider is real.
//
//	cd examples/terraform && go run ./demo
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
	"github.com/lro-go/lro/examples/terraform/internal/provider"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

// steps lists the runs of tofu and their expected outcomes.
var steps = []struct {
	title     string
	config    lrotftest.Config // nil destroys the widget
	interrupt bool
	action    string
	fails     bool
}{
	{"Ctrl-C interrupts a creation, and the operation continues", widget("w1", 1, "1h"), true, "create", false},
	{"The next apply waits for it instead of creating another widget", widget("w1", 1, "1h"), false, "update", false},
	{"An update takes longer than its timeout: an error, and the state keeps the token", widget("w1", 2, "500ms"), false, "update", true},
	{"The next apply waits for the update", widget("w1", 2, "1h"), false, "update", false},
	{"Ctrl-C interrupts the deletion", nil, true, "delete", true},
	{"The next destroy waits for the deletion", nil, false, "delete", false},
	{"A creation fails, and the error has the reason that the service gives", widget("too-large", 1000, "1h"), false, "create", true},
	{"Destroy removes the failed widget", nil, false, "delete", false},
}

func widget(name string, size int, update string) lrotftest.Config {
	return lrotftest.Config{"name": name, "size": size, "timeouts": lrotftest.Config{"update": update}}
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal("demo: ", err)
	}
}

// run runs the demo and writes its output to w. It returns an error if a step has an unexpected outcome.
func run(ctx context.Context, w io.Writer) error {
	printf(w, "Apply and destroy run eight times. Some runs are interrupted, one times out, and the next one resumes\n"+
		"the operation. tofu is simulated: package lrotftest plays its part, with the real provider and a\n"+
		"service on this machine. README.md explains how to run a real tofu. This takes about 5 s.\n")
	origin, stop, err := contoso.Serve(ctx, "127.0.0.1:0", contoso.New(5, 200*time.Millisecond))
	if err != nil {
		return err
	}
	defer stop()
	// min_pause shortens the demo. Omit it in production.
	settings := lrotftest.Config{"endpoint": origin, "min_pause": "100ms"}
	serve := providerserver.NewProtocol6(provider.New())
	l := &logger{w: w}
	ctx = tflogtest.RootLogger(ctx, l)
	workspace, err := lrotftest.Open(ctx, serve(), settings, "contoso_widget")
	if err != nil {
		return err
	}
	for i, s := range steps {
		printf(w, "\n%d. %s\n", i+1, s.title)
		if s.interrupt {
			l.statuses, l.interrupt = 0, func() { _ = workspace.Stop(context.Background()) } // pass no logger, because Stop would log to l while l is calling this function
		}
		result, err := workspace.Apply(ctx, s.config)
		if err != nil {
			return err
		}
		show(w, result, workspace)
		if result.Action != s.action || result.Failed() != s.fails {
			return fmt.Errorf("the action was %s, failed %t; want %s, %t", result.Action, result.Failed(), s.action, s.fails)
		}
		if err := workspace.Attach(ctx, serve(), settings); err != nil { // each run of tofu starts a new provider process
			return err
		}
	}
	return nil
}

func printf(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// show writes the outcome of a run to w.
func show(w io.Writer, result lrotftest.Result, workspace *lrotftest.Workspace) {
	for _, d := range result.Diagnostics {
		printf(w, "  %s: %s\n      %s\n", d.Severity, d.Summary, strings.ReplaceAll(strings.TrimSpace(d.Detail), "\n", "\n      "))
		if d.Attribute != nil {
			printf(w, "      at %s\n", d.Attribute)
		}
	}
	if !workspace.HasState() {
		printf(w, "  state: none\n")
		return
	}
	printf(w, "  state: provisioning_state %q, tainted: %t, private state: %d bytes\n",
		workspace.Attribute("provisioning_state"), workspace.Tainted(), len(workspace.Private()))
}

// A logger receives the provider's log. It writes the statuses to w, and calls interrupt after the
// third.
type logger struct {
	w         io.Writer
	statuses  int
	interrupt func()
}

func (l *logger) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		var record map[string]any
		if json.Unmarshal(line, &record) != nil || record["state"] == nil {
			continue
		}
		printf(l.w, "  log: %s of %s: %v", record["@message"], record["resource"], record["state"])
		if percent, ok := record["percent"]; ok {
			printf(l.w, ", %v%%", percent)
		}
		printf(l.w, "\n")
		if l.statuses++; l.statuses == 3 && l.interrupt != nil {
			printf(l.w, "^C\n")
			l.interrupt()
			l.interrupt = nil
		}
	}
	return len(b), nil
}
