package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// A crew is the workers of one process, a second one of this program.
type crew struct {
	id    string
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{}

	mu   sync.Mutex
	peak uint64 // of its memory, in bytes
}

// startCrew starts one. It runs until stop or kill, or until this process ends.
func startCrew(ctx context.Context, url string, cfg config, id string) (*crew, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cfg.id = id
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, append([]string{workCommand}, cfg.args()...)...)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+url) // not an argument, which all users of the machine can read
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &crew{id: id, cmd: cmd, stdin: stdin, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		_ = cmd.Wait() // how it ends is the demonstration's to judge
	}()
	return c, nil
}

func (c *crew) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// stop lets it finish what is under way: it is told by the end of its standard
// input, as it is when we end without stop.
func (c *crew) stop() {
	c.stdin.Close()
	<-c.ended
}

// kill ends it at once, whatever is under way.
func (c *crew) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// memory is the most that it has had in memory so far, as Linux tells it;
// elsewhere it is 0.
func (c *crew) memory() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.peak = max(c.peak, peakMemory(c.cmd.Process.Pid))
	return c.peak
}

func peakMemory(pid int) uint64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kB uint64
	_, _ = fmt.Fscan(bytes.NewReader(line), &kB)
	return kB << 10
}
