package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/lro-go/lro/cmd/lro/internal/timeline"
)

// openTimeline prepares the recording for --timeline. It creates the file, so that a wrong name is
// reported before the wait instead of after it.
func (c *command) openTimeline() error {
	if c.timelinePath == "" {
		return nil
	}
	f, err := os.OpenFile(c.timelinePath, os.O_CREATE|os.O_WRONLY, 0o644) // keeps an earlier picture
	if err != nil {
		return usageError{fmt.Errorf("--timeline: %w", err)}
	}
	c.recorder = timeline.NewRecorder(c.base)
	c.base = c.recorder
	return f.Close()
}

// drawTimeline draws a wait that ended with err.
func (c *command) drawTimeline(err error) {
	if c.recorder == nil {
		return
	}
	c.recorder.End(err)
	var svg bytes.Buffer
	err = c.recorder.Draw(&svg)
	if err == nil {
		err = os.WriteFile(c.timelinePath, svg.Bytes(), 0o644)
	}
	if err != nil {
		c.screen.note(fmt.Sprintf("the timeline could not be drawn: %v", err))
	}
}
