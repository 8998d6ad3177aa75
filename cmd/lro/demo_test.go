package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDemo(t *testing.T) {
	var out, stderr bytes.Buffer
	require.Equal(t, exitOK, demo(t.Context(), nil, &out, &stderr, os.Environ()), "%s%s", &out, &stderr)
	exits := regexp.MustCompile(`(?m)^exit (\d)$`).FindAllString(out.String(), -1)
	require.Equal(t, []string{"exit 0", "exit 1", "exit 5", "exit 0", "exit 0", "exit 6"}, exits)
	require.Contains(t, out.String(), "$ lro resume ")
	require.Contains(t, out.String(), `{"result":{"items":3}}`)
}

// A demo that does not show what it should fails.
func TestDemoInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	require.NotEqual(t, exitOK, demo(ctx, nil, &bytes.Buffer{}, &bytes.Buffer{}, nil))
	require.Equal(t, exitUsage, demo(t.Context(), []string{"x"}, &bytes.Buffer{}, &bytes.Buffer{}, nil))
}

func TestHelp(t *testing.T) {
	var out, stderr bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), nil, nil, &out, &stderr, nil))
	all := out.String()
	for _, v := range verbs {
		require.Regexp(t, `(?m)^  `+v.name+` +`+v.arg+` +`+regexp.QuoteMeta(v.about)+`$`, all)
		for _, args := range [][]string{{"help", v.name}, {v.name, "-h"}, {v.name, "https://a.test", "--help"}} {
			out.Reset()
			require.Equal(t, exitOK, run(t.Context(), args, nil, &out, &stderr, nil), args)
			require.Contains(t, out.String(), "lro "+v.name+" "+v.arg+" [flags]: ")
			require.Contains(t, out.String(), "  --token-command command\n")
		}
	}
	require.Empty(t, stderr.String())
	require.Equal(t, exitUsage, run(t.Context(), []string{"help", "x"}, nil, &out, &stderr, nil))
}

// The exit codes of the README are those of the help.
func TestREADME(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(\\d+)` \\| (.*) \\|$").FindAllStringSubmatch(string(b), -1)
	require.Len(t, rows, 9)
	for _, row := range rows {
		require.Contains(t, epilogue, "  "+row[1]+"  "+strings.ReplaceAll(row[2], "`", "")+"\n")
	}
}
