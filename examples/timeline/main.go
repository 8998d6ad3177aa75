// Timeline draws a wait: what the client knew, what it asked, and how long it
// paused, as an SVG.
//
//	go run ./examples/timeline > wait.svg
//
// draws the recording that lies beside this file. A recording is a log of yours:
// lines of JSON as log/slog writes them, other lines left out. What the Logger of
// poller.Options tells is enough; the recorder in recorder.go adds every request
// and the pause that the service asked for.
//
//	go run ./examples/timeline my.log > wait.svg
//	grep widgets/w1 my.log | go run ./examples/timeline - > wait.svg
//	go run ./examples/timeline -record > my.log    # follows an operation over real HTTP for some seconds
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// recording is what TestRecording records: ten minutes that pass at once,
// in a bubble of testing/synctest.
//
//go:embed wait.jsonl
var recording []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "timeline:", err)
		os.Exit(1)
	}
}

// run does what args say: it writes a picture to w, or a recording.
func run(ctx context.Context, args []string, in io.Reader, w io.Writer) error {
	flags := flag.NewFlagSet("timeline", flag.ContinueOnError)
	live := flags.Bool("record", false, "follow an operation, and write the log of it instead of a picture")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *live:
		return recordLive(ctx, w)
	case flags.NArg() == 0:
		in = bytes.NewReader(recording)
	case flags.Arg(0) != "-":
		f, err := os.Open(flags.Arg(0))
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	wait, err := readLog(in)
	if err != nil {
		return err
	}
	return wait.draw(w)
}
