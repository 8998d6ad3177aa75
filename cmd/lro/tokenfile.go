package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
)

// A tokenFile stores the resume token. The token contains no credentials but may contain signed
// URLs, so only the owner can read the file.
type tokenFile struct {
	path  string // "" until a file is created in dir
	early bool   // whether to write the file as soon as a token is available
	dir   string // the folder for the new file if path is ""
}

// newTokenFile returns the tokenFile for --token-file. It rejects an existing file, which may
// contain the token of another operation.
func newTokenFile(path string) (tokenFile, error) {
	if path == "" {
		return tokenFile{dir: "."}, nil
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return tokenFile{}, fmt.Errorf("%s already exists and may contain the token of another operation; run lro resume %s, or remove the file", path, flags.Quote(path))
	}
	return tokenFile{path: path, early: true}, nil
}

// write writes the token to the file at path or, if path is "", to a new file in dir. It replaces
// an existing file atomically, so that the file contains either the old token or the new one, even
// if the process is killed.
func (t *tokenFile) write(token string) error {
	f, err := t.create()
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

// create creates the file that write fills: a new token file in dir if path is "", otherwise a
// temporary file in the same folder as path.
func (t *tokenFile) create() (*os.File, error) {
	if t.path != "" {
		return os.CreateTemp(filepath.Dir(t.path), ".lro-*.token") // mode 0600
	}
	return os.CreateTemp(t.dir, "lro-*.token")
}

// writeAnywhere writes the token file. If that fails, for example because a container's folders are
// read-only, it writes the token to a new file in the folder for temporary files.
func (t *tokenFile) writeAnywhere(token string) error {
	err := t.write(token)
	if err == nil {
		return nil
	}
	elsewhere := tokenFile{dir: os.TempDir()}
	if elsewhere.write(token) != nil {
		return err
	}
	*t = elsewhere
	return nil
}

// remove deletes the file, if any, and reports whether it was deleted.
func (t *tokenFile) remove() bool {
	return t.path != "" && os.Remove(t.path) == nil
}
