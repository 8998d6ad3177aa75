package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/fakes"
)

func TestDemo(t *testing.T) {
	var out, stderr bytes.Buffer
	require.Equal(t, output.ExitOK, run(t.Context(), []string{"demo"}, nil, &out, &stderr, os.Environ()), "%s%s", &out, &stderr)
	exits := regexp.MustCompile(`(?m)^exit (\d)$`).FindAllString(out.String(), -1)
	require.Equal(t, []string{"exit 0", "exit 1", "exit 5", "exit 0", "exit 0", "exit 6"}, exits)
	require.Contains(t, out.String(), "$ lro resume ")
	require.Contains(t, out.String(), `{"result":{"items":3}}`)
}

// If the demo cannot start, lro exits with code 1 and does not point to the help, because the
// command line is valid.
func TestDemoCannotStart(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", os.Getenv("TMPDIR")) // on Windows
	var out, stderr bytes.Buffer
	require.Equal(t, output.ExitFailed, run(t.Context(), []string{"demo"}, nil, &out, &stderr, os.Environ()))
	require.Contains(t, out.String()+stderr.String(), "the demo could not create a folder for its token")
	require.NotContains(t, out.String()+stderr.String(), "lro help")
}

func TestHelp(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	all := r.exec()
	require.Equal(t, output.ExitOK, all.code)
	require.Equal(t, all, r.exec("help"))
	for verb := range strings.FieldsSeq("put patch post delete get watch wait list resume cancel demo") {
		require.Regexp(t, `(?m)^  `+verb+` +[A-Z]`, all.out)
		for _, args := range [][]string{{"help", verb}, {verb, "-h"}} {
			got := r.exec(args...)
			require.Equal(t, output.ExitOK, got.code, got)
			require.Contains(t, got.out, "\n  lro "+verb+" ", args)
			require.Empty(t, got.err)
			for line := range strings.Lines(got.out) {
				require.LessOrEqual(t, len([]rune(line)), 81, line)
			}
		}
	}
	topic := r.exec("help", "strategies").out
	for _, s := range flags.Strategies() {
		require.NotEmpty(t, s.About, s.Name)
		require.Contains(t, topic, "\n  "+s.Name+" ")
	}
	for line := range strings.Lines(all.out + topic) {
		require.LessOrEqual(t, len([]rune(line)), 81, line)
	}
}

// If a command line is wrong, the message points to a help command or suggests the right command.
func TestHelpOfHelp(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.Equal(t, r.exec("help"), r.exec("help", "lro"))
	require.Contains(t, r.exec("help", "serve", "quirks").out, "docs/quirks.md")
	for _, tt := range []struct{ args, want string }{
		{"--ver", "unknown flag: --ver; see lro help"},
		{"frobnicate", `unknown command "frobnicate" for "lro"; see lro help`},
		{"ptu", `unknown command "ptu" for "lro"; did you mean put?`},
		{"help frobnicate", `unknown command "frobnicate" for "lro"; see lro help`},
		{"help put now", `unknown command "now" for "lro put"; see lro help`},
	} {
		got := r.exec(strings.Fields(tt.args)...)
		require.Equal(t, output.ExitUsage, got.code, got)
		require.Equal(t, tt.want, got.failure(t).Text)
	}
}

// If lro serve cannot start, lro exits with code 1, or with code 2 if the command line is wrong.
func TestServeCannotStart(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	args := []string{"--addr=127.0.0.1:0", "--record=absent/x.http"}
	got := r.exec(append([]string{"serve"}, args...)...)
	require.Equal(t, output.ExitFailed, got.code, got)
	got = r.exec(append([]string{"serve", "--duration=1"}, args...)...)
	require.Equal(t, output.ExitUsage, got.code, got)

	cmd := serve.Command()
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	var out bytes.Buffer
	require.Equal(t, output.ExitFailed, output.New(output.Options{Stderr: &out}).Finish(t.Context(), classify(cmd.ExecuteContext(t.Context()))))
	require.Equal(t, "lro: --record: open absent/x.http: no such file or directory\n", out.String())
}

// A verb's help lists exactly the flags that the verb uses.
func TestHelpHasOwnFlags(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	for verb, flags := range map[string]string{
		"put": "--data --final-state-via --token-file", "patch": "--data --final-state-via --token-file", "post": "--data --final-state-via --token-file",
		"delete": "--final-state-via --token-file", "get": "--items --next-link --final-state-via --token-file",
		"watch": "--token-file", "wait": "--until --exists --deleted", "list": "--output", "resume": "--final-state-via", "cancel": "--with --final-state-via", "demo": "",
	} {
		shared := strings.Fields("--strategy --origin --min --max --default --patience --timeout --token-command --header --output --quiet --verbose")
		if verb != "wait" {
			shared = append(shared, "--timeline")
		}
		if verb == "demo" || verb == "list" {
			shared = nil
		}
		got := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+) `).FindAllStringSubmatch(r.exec("help", verb).out, -1)
		var names []string
		for _, m := range got {
			names = append(names, m[1])
		}
		require.ElementsMatch(t, append(append(shared, strings.Fields(flags)...), "--help"), names, verb)
	}
}

func TestVersion(t *testing.T) {
	got := newRig(t, &fakes.Service{}).exec("--version")
	require.Equal(t, output.ExitOK, got.code)
	require.Regexp(t, `^lro \S+\n$`, got.out)
}

func TestCompletion(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := r.exec("completion", shell)
		require.Equal(t, output.ExitOK, got.code)
		require.Contains(t, got.out, "lro", shell)
		require.Greater(t, strings.Count(got.out, "\n"), 100, shell)
	}
	for want, args := range map[string][]string{
		"ibm-operation\n": {"put", "https://a.test", "--strategy", "ibm-o"},
		"json\n":          {"resume", "x", "--output", "j"},
		"resume\t":        {"res"},
		"original-uri\n":  {"post", "--final-state-via", ""},
		"arohcp\n":        {"serve", "--style", ""},
		"canceled\n":      {"serve", "--end", ""},
		"ibm-vpc\n":       {"serve", "--strategy", ""},
		"drop\n":          {"serve", "--fault", ""},
		"W18\tDELETE":     {"serve", "--quirk", "W1"},
		"put\tCreate":     {"help", ""},
		"quirks\tList":    {"help", "serve", ""},
	} {
		require.Contains(t, r.exec(append([]string{"__complete"}, args...)...).out, want, args)
	}
}

// docs/tool.md has a row for each command except demo, and cmd/lro/README.md names only files and
// folders that exist.
func TestCommandsInDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/tool.md")
	if err != nil {
		t.Skip("docs/tool.md is not part of this module:", err)
	}
	c := &command{flags: flags.New()}
	for _, cmd := range c.root().Commands() {
		if cmd.GroupID == "" || cmd.Name() == "demo" {
			continue
		}
		require.Regexp(t, "(?m)^\\|.*`"+cmd.Name()+"`.* \\|$", string(b))
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("`(internal/\\w+|\\w+\\.go)`").FindAllStringSubmatch(string(readme), -1) {
		_, err := os.Stat(m[1])
		require.NoError(t, err, "cmd/lro/README.md has to name only files that exist")
	}
}

// docs/tool.md lists the same exit codes as the help.
func TestExitCodesInDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/tool.md")
	if err != nil {
		t.Skip("docs/tool.md is not part of this module:", err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\d+)` \\| (.*) \\|$").FindAllStringSubmatch(string(b), -1)
	require.Len(t, rows, 9)
	for _, row := range rows {
		require.Regexp(t, `(?m)^  `+row[1]+` +`+regexp.QuoteMeta(strings.ReplaceAll(row[2], "`", ""))+`$`, output.ExitCodes)
	}
}

// The help for --origin differs between verbs that accept a token file and verbs that accept only a
// URL.
func TestHelpOfOrigin(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	for verb, want := range map[string]string{"resume": "the origin that may", "cancel": "the origin that may", "wait": "the origin that may", "put": "a further origin", "watch": "a further origin"} {
		require.Contains(t, strings.Join(strings.Fields(r.exec("help", verb).out), " "), "--origin origin "+want)
	}
}
