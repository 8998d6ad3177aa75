package serve

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/lro-go/lro/fakes"
)

// replayFlags are the flags allowed with --replay. The other flags describe the service that the
// recording replaces.
var replayFlags = []string{"addr", "allow-remote", "tls", "control", "record", "replay"}

// checkReplay rejects flags that have no effect with --replay.
func (o *options) checkReplay() error {
	var err error
	o.visit(func(f *pflag.Flag) {
		if !slices.Contains(replayFlags, f.Name) {
			err = errors.Join(err, fmt.Errorf("--%s has no effect on a recording; leave out this flag or --replay", f.Name))
		}
	})
	return err
}

// replaySession returns a session that replays the recording from the beginning.
func (o *options) replaySession() (*session, error) {
	if err := o.checkReplay(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.replay)
	if err != nil {
		return nil, fmt.Errorf("--replay: %w", err)
	}
	t, err := fakes.ReadTranscript(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("--replay %s: %w", o.replay, err)
	}
	if t.Remaining() == 0 {
		return nil, fmt.Errorf("--replay %s: the file has no requests", o.replay)
	}
	t.AnyHost = true // the recorded requests name the host of the recorded service
	t.KeepRequests = 1
	return &session{handler: t, replay: t}, nil
}
