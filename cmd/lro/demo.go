package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// demo runs the other verbs against a service on this machine, each as a person
// would type it. It fails where one of them ends otherwise than it should.
func demo(ctx context.Context, args []string, stdout, stderr io.Writer, env []string) int {
	if len(args) > 0 {
		say(stderr, "lro demo: takes no arguments\n")
		return exitUsage
	}
	origin, stop, err := startService(ctx)
	if err != nil {
		say(stderr, "lro demo: %v\n", err)
		return exitRefused
	}
	defer stop()
	dir, err := os.MkdirTemp("", "lro-demo-")
	if err != nil {
		say(stderr, "lro demo: %v\n", err)
		return exitRefused
	}
	defer func() { _ = os.RemoveAll(dir) }()

	file := filepath.Join(dir, "demo.token")
	for _, step := range demoSteps(origin, file) {
		words := []string{"lro"}
		for _, arg := range step.args {
			words = append(words, quote(arg))
		}
		say(stdout, "\n# %s\n$ %s\n", step.title, strings.Join(words, " "))
		code := run(ctx, step.args, strings.NewReader(""), stdout, stderr, env)
		say(stdout, "exit %d\n", code)
		if code != step.exit {
			return max(code, exitFailed)
		}
	}
	return exitOK
}

// A demoStep is one command of the demo, and how it is to end.
type demoStep struct {
	title string
	args  []string
	exit  int
}

// demoSteps are the commands of the demo. Their --min lets the service ask for
// shorter pauses than a real one may: never below 10 s without the flag.
func demoSteps(origin, file string) []demoStep {
	const pace = "--min=100ms"
	url := func(name string) string { return origin + widgets + "/" + name + "?api-version=2026-01-01" }
	return []demoStep{
		{"An operation, from its beginning to its result", []string{"put", url("alpha"), "-d", `{"properties":{"size":1}}`, pace}, exitOK},
		{"One that fails", []string{"put", url("too-large"), "-d", `{"properties":{"size":1000}}`, pace}, exitFailed},
		{"One that takes longer than we wait: as with Ctrl-C, a token is kept", []string{
			"put", url("beta"), "-d", `{"properties":{"size":2}}`, pace, "--timeout=500ms", "--token-file=" + file,
		}, exitStopped},
		{"And gone on with", []string{"resume", file, "--origin=" + origin, pace}, exitOK},
		{"A listing, with all its pages", []string{"get", origin + widgets + "?api-version=2026-01-01"}, exitOK},
		{"A request that is refused", []string{"delete", url("nobody")}, exitRefused},
	}
}
