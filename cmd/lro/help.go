package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

const introduction = `Lro begins long-running operations and follows them to their end.

  lro put https://management.azure.com/…?api-version=… -d @body.json
  lro resume lro-1234.token --origin https://management.azure.com
  lro demo

`

const epilogue = `
The result goes to the standard output, everything else to the standard error: text
on a terminal, lines of JSON elsewhere ({"status":…}, and {"result":…} or
{"error":…}). The bearer token comes from --token-command or $LRO_TOKEN. Colors are
for terminals, unless NO_COLOR is set. Ctrl-C ends the wait and not the operation:
a resume token is kept in a file. A second one ends at once.

Exit codes:
  0  it succeeded
  1  the operation failed
  2  a mistake in the arguments; nothing was sent
  3  the operation was canceled, also by lro cancel
  4  it succeeded, and its result could not be read; lro resume asks again
  5  stopped waiting: Ctrl-C, SIGTERM or --timeout; lro resume goes on
  6  a request was refused or got no answer
  7  accepted, and it cannot be followed any further; lro resume tries again
  130  a second Ctrl-C

lro help VERB tells the flags.
`

// help explains the command, or one verb, and returns the exit code.
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		var b strings.Builder
		b.WriteString(introduction)
		for _, v := range verbs {
			fmt.Fprintf(&b, "  %-7s %-5s %s\n", v.name, v.arg, v.about)
		}
		fmt.Fprintf(&b, "  %-7s %-5s %s\n", "demo", "", "shows all of this offline, with a service of its own")
		b.WriteString(epilogue)
		say(stdout, "%s", b.String())
		return exitOK
	}
	v, ok := findVerb(args[0])
	if !ok {
		say(stderr, "lro: there is no verb %q; see lro help\n", args[0])
		return exitUsage
	}
	say(stdout, "lro %s %s [flags]: %s.\n\n", v.name, v.arg, v.about)
	fs := new(config).flags(v)
	fs.SetOutput(stdout)
	fs.VisitAll(func(f *flag.Flag) {
		dashes := "--"
		if len(f.Name) == 1 {
			dashes = "-"
		}
		name, about := flag.UnquoteUsage(f)
		say(stdout, "  %s\n      %s\n", strings.TrimSpace(dashes+f.Name+" "+name), about)
	})
	return exitOK
}
