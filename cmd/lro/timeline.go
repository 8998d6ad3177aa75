package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/lro-go/lro/cmd/lro/internal/timeline"
)

// openTimeline prepares the recording for --timeline. It creates the file now, so that a wrong name
// is reported before the wait rather than after it.
func (c *command) openTimeline() error {
	if c.timelinePath == "" {
		return nil
	}
	f, err := os.OpenFile(c.timelinePath, os.O_CREATE|os.O_WRONLY, 0o644) // no O_TRUNC: an earlier picture remains until there is a new one
	if err != nil {
		return usageError{fmt.Errorf("--timeline: %w", err)}
	}
	c.recorder = timeline.NewRecorder(c.base)
	c.base = c.recorder
	return f.Close()
}

// drawTimeline draws the wait to the file that --timeline names. err is the error that ended the
// wait, if any.
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
