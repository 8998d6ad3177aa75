package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/cmd/lro/internal/timeline"
)

// A timelineFile records a wait and draws it to the file given by --timeline.
type timelineFile struct {
	*timeline.Recorder
	path string
}

// newTimelineFile returns a timelineFile that sends requests through base. It creates the file
// right away, to report a wrong name before the wait, not after it.
func newTimelineFile(path string, base http.RoundTripper) (*timelineFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644) // without O_TRUNC, to keep an earlier picture until there is a new one
	if err != nil {
		return nil, output.UsageError{Err: fmt.Errorf("--timeline: %w", err)}
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return &timelineFile{timeline.NewRecorder(base), path}, nil
}

func (t *timelineFile) draw() error {
	var svg bytes.Buffer
	if err := t.Draw(&svg); err != nil {
		return err
	}
	return os.WriteFile(t.path, svg.Bytes(), 0o644)
}
