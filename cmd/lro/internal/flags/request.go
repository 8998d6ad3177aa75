package flags

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
)

// maxToken is the maximum size of a resume token from package poller, in bytes.
const maxToken = 64 << 10

// Request returns the verb's first HTTP request. Its body may come from stdin.
func (f *Flags) Request(ctx context.Context, method string, stdin io.Reader) (*http.Request, error) {
	body, err := f.body(stdin)
	if err != nil {
		return nil, err
	}
	// A bytes.Reader lets the transport send the body again.
	req, err := http.NewRequestWithContext(ctx, method, f.Target, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL cannot be parsed")
	}

	maps.Copy(req.Header, http.Header(f.header).Clone())
	if len(body) > 0 && req.Header.Get("Content-Type") == "" {
		if !json.Valid(body) {
			return nil, errors.New("the body is not valid JSON; if that is intended, add --header 'Content-Type: …'")
		}
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// body returns the value of --data. If the value is an @ and a file name, body returns the contents
// of that file.
func (f *Flags) body(stdin io.Reader) ([]byte, error) {
	file, ok := strings.CutPrefix(f.data, "@")
	if !ok {
		return []byte(f.data), nil
	}
	return readFile(file, stdin)
}

// ResumeToken reads the resume token from the file Target, or from stdin if Target is "-".
func (f *Flags) ResumeToken(stdin io.Reader) (string, error) {
	b, err := readFile(f.Target, stdin)
	if err != nil {
		return "", err
	}
	if len(b) > maxToken {
		return "", fmt.Errorf("%s is too large for a resume token", f.Target)
	}
	return strings.TrimSpace(string(b)), nil
}

// TargetFile returns the name of the file that ResumeToken reads, or "" for standard input.
func (f *Flags) TargetFile() string {
	if f.Target == "-" {
		return ""
	}
	return f.Target
}

// readFile reads a file, or the standard input if the name is "-".
func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}
