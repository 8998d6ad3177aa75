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

// A tokenFile stores the resume token. The token contains no credentials, but it may contain signed
// URLs, so only the owner can read the file.
type tokenFile struct {
	path  string // "" until write chooses a name
	early bool   // whether to write the file as soon as there is a token; set if the user passed --token-file
	dir   string // the folder in which write creates the file if path is ""
}

// newTokenFile returns the tokenFile for --token-file. It rejects the path of an existing file,
// because that file may contain the token of another operation.
func newTokenFile(path string) (tokenFile, error) {
	if _, err := os.Lstat(path); path != "" && !errors.Is(err, fs.ErrNotExist) {
		return tokenFile{}, usageError{fmt.Errorf("%s already exists and may hold the token of another operation: lro resume %s, or remove it", path, quote(path))}
	}
	return tokenFile{path: path, early: path != "", dir: "."}, nil
}

// write replaces the file atomically, so that the file contains either the old token or the new
// one, even if the process is killed.
func (t *tokenFile) write(token string) error {
	dir, pattern := t.dir, "lro-*.token"
	if t.path != "" {
		dir, pattern = filepath.Dir(t.path), ".lro-*.token"
	}
	f, err := os.CreateTemp(dir, pattern) // mode 0600
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, token+"\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && t.path != "" {
		err = os.Rename(f.Name(), t.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if t.path == "" {
		t.path = filepath.Clean(f.Name())
	}
	return nil
}

// removeToken removes the token file if the operation has ended.
func (c *command) removeToken() {
	if c.ended && c.tokenFile.path != "" && os.Remove(c.tokenFile.path) == nil {
		c.screen.note("the operation has ended; removed " + c.tokenFile.path)
	}
}

// A resumable is an error that ended a wait, with the command that resumes the wait.
type resumable struct {
	error
	file, command string
	unsaved       error // why the token could not be saved
}

func (r *resumable) Unwrap() error { return r.error }

// saveToken saves the token, and returns err with the name of the token file and the command that
// resumes the wait.
func (c *command) saveToken(err error, token func() (string, error)) error {
	t, unsaved := token()
	if unsaved == nil {
		unsaved = c.writeToken(t)
	}
	if unsaved != nil {
		return &resumable{error: err, unsaved: unsaved}
	}
	return &resumable{error: err, file: c.tokenFile.path, command: c.resumeCommand()}
}

// writeToken writes the token file. If its folder is not writable, as in some containers, it
// writes to the folder for temporary files.
func (c *command) writeToken(token string) error {
	err := c.tokenFile.write(token)
	if err == nil {
		return nil
	}
	elsewhere := tokenFile{dir: os.TempDir()}
	if elsewhere.write(token) != nil {
		return err
	}
	c.tokenFile = elsewhere
	return nil
}

// resumeCommand returns the command that resumes the operation. It omits the values of headers,
// because they may be secret.
func (c *command) resumeCommand() string {
	words := []string{"lro", "resume", quote(c.tokenFile.path)}
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

// quote quotes a word for a shell if necessary.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
