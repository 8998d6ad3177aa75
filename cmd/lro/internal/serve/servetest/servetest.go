// Package servetest runs lro serve in a test.
//
// It is a separate package because the tests of several packages use it, some of them in another
// module.
package servetest

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
)

// A Server is a running lro serve command.
type Server struct {
	URL     string
	Control string        // the URL of the control interface, set by Welcome
	Lines   <-chan string // the lines of output after the first one
	stop    func() error
}

var (
	listening  = regexp.MustCompile(`^(?:Simulating|Replaying) .* at (https?://127\.0\.0\.1:\d+) until `)
	controlled = regexp.MustCompile(`^Control it at (http://127\.0\.0\.1:\d+) `)
)

// Start runs lro serve on a free port until the test ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	cmd := serve.Command()
	out, in := io.Pipe()
	cmd.SetArgs(append([]string{"--addr", "127.0.0.1:0"}, args...))
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.ExecuteContext(ctx)
		in.Close()
	}()
	lines := make(chan string, 1000) // buffers all output, because Stop reads the remaining lines only after the command has ended
	go func() {
		defer close(lines)
		for output := bufio.NewScanner(out); output.Scan(); {
			lines <- output.Text()
		}
	}()
	s := &Server{Lines: lines, stop: func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}}
	t.Cleanup(func() { _ = s.stop() })
	match := listening.FindStringSubmatch(<-lines)
	if match == nil {
		t.Fatalf("lro serve %s: %v", strings.Join(args, " "), s.stop())
	}
	s.URL = match[1]
	return s
}

// Welcome returns the lines of output between the first line and the log.
func (s *Server) Welcome() (lines []string) {
	for line := range s.Lines {
		if strings.HasPrefix(line, "TIME") {
			break
		}
		if match := controlled.FindStringSubmatch(line); match != nil {
			s.Control = match[1]
		}
		lines = append(lines, line)
	}
	return lines
}

// Stop ends the command as Ctrl-C would. It returns the command's error and the remaining lines of
// output.
func (s *Server) Stop() (lines []string, err error) {
	err = s.stop()
	for line := range s.Lines {
		lines = append(lines, line)
	}
	return lines, err
}
