package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A keeper keeps the resume token in a file that only its owner can read: a
// token has no credential in it, but its URLs may be signed.
type keeper struct {
	file  string
	named bool   // by the flag; else it is made up when it is needed
	dir   string // for one that is made up
}

// vacant refuses a file that is there already: it may have the token of another
// operation that still runs.
func (k *keeper) vacant() error {
	if _, err := os.Lstat(k.file); !k.named || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return usageError{fmt.Errorf("%s is there already, and may have the token of an operation that still runs: lro resume %s, or remove it",
		k.file, quote(k.file))}
}

// write keeps the token, in place of an earlier one. A process that is killed
// leaves the one or the other.
func (k *keeper) write(token string) error {
	dir, pattern := k.dir, "lro-*.token"
	if k.file != "" {
		dir, pattern = filepath.Dir(k.file), ".lro-*.token"
	}
	f, err := os.CreateTemp(dir, pattern) // mode 0600
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, token+"\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && k.file != "" {
		err = os.Rename(f.Name(), k.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if k.file == "" {
		k.file = filepath.Clean(f.Name())
	}
	return nil
}

// done removes the file that the flag names: the operation has ended.
func (k *keeper) done() {
	if k.named {
		_ = os.Remove(k.file) // a token of an ended operation does no harm
	}
}

// A stopped is an error after which there is something to go on with.
type stopped struct {
	error
	file, command string
	unkept        error // why there is no file
}

func (s *stopped) Unwrap() error { return s.error }

// stop keeps the token of an operation whose wait ended with err.
func (c *command) stop(err error, token func() (string, error)) error {
	t, failed := token()
	if failed == nil {
		failed = c.store(t)
	}
	if failed != nil {
		return &stopped{error: err, unkept: failed}
	}
	return &stopped{error: err, file: c.keeper.file, command: c.goOn(c.keeper.file)}
}

// store keeps the token where it was asked for or, where that is a folder that may
// not be written to, such as a container's, among the temporary files.
func (c *command) store(token string) error {
	err := c.keeper.write(token)
	if err == nil {
		return nil
	}
	elsewhere := keeper{dir: os.TempDir()}
	if elsewhere.write(token) != nil {
		return err
	}
	c.keeper = elsewhere
	return nil
}

// goOn returns the command that goes on with a stored operation. The origins are
// in it, because a file is not asked whom to trust. The values of headers are
// not: they may be secret. A token command is as the user has typed it.
func (c *command) goOn(file string) string {
	words := []string{"lro", "resume", quote(file)}
	for _, origin := range slices.Compact(slices.Clone(c.origins)) {
		words = append(words, "--origin", quote(origin))
	}
	for _, name := range []string{"strategy", "min", "max", "default", "patience", "token-command"} {
		if value, ok := c.set[name]; ok {
			words = append(words, "--"+name, quote(value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.header)) {
		words = append(words, "--header", quote(name+": …"))
	}
	return strings.Join(words, " ")
}

// quote writes a word so that a shell reads it as one.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
