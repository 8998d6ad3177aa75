package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// TestSessionsInDocs checks that the sessions in docs/tool.md show exactly what a user sees. At a
// ^C line in a session, the test interrupts lro 30 s after the preceding line.
func TestSessionsInDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/tool.md")
	if err != nil {
		t.Skip("docs/tool.md is not part of this module:", err)
	}
	svc := &fakes.Service{Default: fakes.Plan{Polls: 4}}
	svc.Fault(fakes.Fault{Path: "/subscriptions", Do: fakes.Status(http.StatusForbidden)})
	r := newRig(t, svc)
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	require.Len(t, blocks, 5)
	for i, block := range blocks {
		if i == 3 { // this session needs the tokens of two operations
			r.run("put", "/widgets/w4", "-d", "{}", "--timeout=1s", "--token-file=w4.token")
			r.run("put", "/widgets/w5", "-d", "{}", "--timeout=150s", "--token-file=w5.token")
		}
		for _, step := range strings.SplitAfter(strings.ReplaceAll(block[1], "\n$ lro ", "\n\x00$ lro "), "\x00") {
			line, want, _ := strings.Cut(strings.Trim(step, "\x00"), "\n")
			require.Equal(t, "$ lro "+line[6:]+"\n"+want, "$ lro "+line[6:]+"\n"+r.session(words(line)[2:], strings.Split(want, "^C\n")))
		}
	}
}

// session runs a command and returns its text output. If parts has more than one element, session
// interrupts the command 30 s after it has printed parts[0].
func (r *rig) session(args, parts []string) string {
	var out lockedBuffer
	synctest.Test(r.t, func(t *testing.T) {
		ctx, interrupt := context.WithCancelCause(t.Context())
		defer interrupt(nil)
		if len(parts) > 1 {
			reads := strings.Count(parts[0], "\n") - 1
			time.AfterFunc(time.Duration(reads)*time.Minute+30*time.Second, func() {
				_, _ = io.WriteString(&out, "^C\n")
				interrupt(output.StopError{Text: "stopped by a signal: interrupt", Err: context.Canceled})
			})
		}
		c := &command{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: r.env, base: &fakes.Transport{Handler: r.Service}}
		c.run(ctx, append(args, "-o=text"))
	})
	return out.b.String()
}

// A lockedBuffer is a buffer for concurrent writes: by the command, and by the goroutine that
// interrupts it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *lockedBuffer) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

// words splits a command line into words. A word in single quotes may contain spaces.
func words(line string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}
