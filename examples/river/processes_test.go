package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// With one of these arguments, the test binary runs as a worker process or as the service.
const (
	workCommand  = "work"
	serveCommand = "serve"
)

// A process is a test binary that runs as a worker process or as the service.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
}

// startProcess starts a process, which runs until its standard input ends. It passes the config on
// standard input, because other users can read arguments, and the database URL may contain a
// password.
func startProcess(ctx context.Context, command string, cfg config) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, command)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	err = cmd.Start()
	if err != nil {
		return nil, err
	}
	return &process{cmd, stdin, stdout}, json.NewEncoder(stdin).Encode(cfg)
}

// origin returns the service's origin, which is the first line that serve writes.
func (p *process) origin() (string, error) {
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	return strings.TrimSpace(line), err
}

// stop makes the process exit and waits for it. A worker first finishes or releases its running
// jobs.
func (p *process) stop() {
	p.stdin.Close()
	_ = p.cmd.Wait() // ignore the exit status, because the tests check the results
}

// kill kills the process, as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// memory returns the process's peak memory in MB, or 0 if the process has ended or the system is
// not Linux.
func (p *process) memory() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes := 0
	_, _ = fmt.Sscan(peak, &kilobytes)
	return kilobytes / 1000
}
