package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

var update = flag.Bool("update", false, "write the recording and its picture anew")

// golden compares with a file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "go test ./examples/timeline -update, then look at %s", name)
}

// picture is what the program draws.
func picture(t *testing.T, in string, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), args, strings.NewReader(in), &out))
	return out.Bytes()
}

// The recording is what the poller does, told at its real pace.
func TestRecording(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		const real = story(1)
		require.NoError(t, real.record(t.Context(), &fakes.Transport{Handler: real.service()}, "https://a.test", newLog(&log)))
	})
	golden(t, "wait.jsonl", log.Bytes())
	require.NotContains(t, log.String(), "api-version", "a query")
}

// The picture of it, which is the README's.
func TestPicture(t *testing.T) {
	drawn := picture(t, "")
	golden(t, "wait.svg", drawn)
	require.Equal(t, string(drawn), string(picture(t, "", "wait.jsonl")), "the same from a file")
	require.Equal(t, string(drawn), string(picture(t, string(recording), "-")), "the same from a pipe")
}

// The same story in some seconds, over real HTTP.
func TestRecordLive(t *testing.T) {
	t.Parallel()
	log := picture(t, "", "-record")
	w, err := readLog(bytes.NewReader(log))
	require.NoError(t, err)
	require.Regexp(t, `^Succeeded after [0-9.]+ s\. 11 readings of the status, 4 of which told none; the result came at attempt 2\.$`, w.summary())
	var told []string
	for _, r := range w.readings {
		told = append(told, r.answer())
	}
	require.Equal(t, "201,200,200,200,200,429,no answer,503,200, unread,200,200,200,404,200", strings.Join(told, ","))
}

func TestRunFails(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		args     []string
	}{
		{"", "no such file", []string{filepath.Join(t.TempDir(), "none")}},
		{"hello\n{\"msg\":\"other\"}\n", "no record of a poller in the log", []string{"-"}},
		{"", "not defined", []string{"-bogus"}},
	} {
		err := run(t.Context(), tt.args, strings.NewReader(tt.in), &bytes.Buffer{})
		require.ErrorContains(t, err, tt.want, "%v", tt.args)
	}
}
