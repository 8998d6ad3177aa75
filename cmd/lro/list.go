package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/flags"
	"github.com/lro-go/lro/cmd/lro/internal/output"
	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// list prints a line for each token file: the operation's last known state, or why the file is not
// a readable token. It sends no requests.
func (c *command) list(context.Context) error {
	files, err := tokenFiles(c.flags.Targets)
	if err != nil {
		return output.UsageError{Err: err}
	}
	rows := make([]output.Stored, 0, len(files))
	for _, file := range files {
		row, err := readStored(file)
		if err != nil {
			row = output.Stored{File: file, Problem: err.Error()}
		}
		rows = append(rows, row)
	}
	return c.printer.Tokens(rows)
}

// tokenFiles returns the files to list. It replaces a folder with the files in it whose names end
// in .token but do not start with a dot. lro uses names with a leading dot while it writes a token.
func tokenFiles(targets []string) ([]string, error) {
	if len(targets) == 0 {
		targets = []string{"."}
	}
	var files []string
	for _, target := range targets {
		info, err := os.Stat(target)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, target)
			continue
		}
		entries, err := os.ReadDir(target)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			isToken := strings.HasSuffix(entry.Name(), ".token") && !strings.HasPrefix(entry.Name(), ".")
			if isToken && !entry.IsDir() {
				files = append(files, filepath.Join(target, entry.Name()))
			}
		}
	}
	return files, nil
}

// readStored returns the line to print for a token file. Its error does not quote the file's
// contents, which may be secret.
func readStored(file string) (output.Stored, error) {
	token, err := readToken(file)
	if err != nil {
		return output.Stored{}, err
	}
	p, err := resumeAnywhere(token)
	row := output.Stored{File: file}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // the service accepted the operation, but lro cannot follow it
		row.Status = poller.Status{State: wait.State, Word: wait.Word}
		row.Problem = "lro cannot follow it"
		if wait.LastErr != nil && wait.LastErr.Err != nil {
			row.Problem += ": " + wait.LastErr.Err.Error()
		}
	} else if err != nil {
		return output.Stored{}, err
	}

	// docs/tokens.md documents these members, which a token from azcore does not have.
	var facts struct {
		Method, Target string
		LastRead       time.Time
	}
	_ = json.Unmarshal([]byte(token), &facts)
	row.LastRead = facts.LastRead
	if p != nil {
		row.Status = p.Status()
		facts.Target = cmp.Or(facts.Target, p.URL())
	}
	row.Operation = output.Clean(strings.TrimSpace(facts.Method + " " + shownURL(facts.Target)))
	return row, nil
}

func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "", e.Err // without the file name, which the printed line already contains
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file") // reading a pipe could block forever
	}
	return flags.New().WithTarget(file).ResumeToken(nil)
}

// resumeAnywhere returns a poller for the operation in a token. It allows all origins in the token.
// This is safe, because the poller's client refuses to send requests.
func resumeAnywhere(token string) (p *operation, err error) {
	var origins []string
	for range 10 { // each attempt allows one more origin, and a token has only a few
		p, err = poller.Resume[json.RawMessage](token, offline{}, &poller.Options{Origins: origins})
		origin := output.ForeignOrigin(err)
		if origin == "" {
			break
		}
		origins = append(origins, origin)
	}
	return p, err
}

// offline is a client that refuses to send requests.
type offline struct{}

// Do implements [poller.Doer].
func (offline) Do(*http.Request) (*http.Response, error) {
	return nil, errors.New("lro list sends nothing")
}

// shownURL removes the parts of a URL that may contain secrets.
func shownURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
