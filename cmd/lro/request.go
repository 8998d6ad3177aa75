package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// maxToken is the largest token that there is (package poller).
const maxToken = 64 << 10

// request makes the request of a verb.
func (c *command) request(ctx context.Context, method string) (*http.Request, error) {
	body, err := c.body()
	if err != nil {
		return nil, usageError{err}
	}
	// bytes.Reader lets the transport send the body again.
	req, err := http.NewRequestWithContext(ctx, method, c.target, bytes.NewReader(body))
	if err != nil {
		return nil, usageError{errors.New("the URL cannot be parsed")}
	}
	req.Header = c.header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if len(body) > 0 && req.Header.Get("Content-Type") == "" {
		if !json.Valid(body) {
			return nil, usageError{errors.New("the body is not JSON; for another one give its --header 'Content-Type: …'")}
		}
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// body returns what -d says.
func (c *command) body() ([]byte, error) {
	file, ok := strings.CutPrefix(c.data, "@")
	if !ok {
		return []byte(c.data), nil
	}
	return c.readFile(file)
}

// readFile reads a file, or the standard input as -.
func (c *command) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(name)
}

// readToken reads the token of a stored operation. Where its file has a name,
// that is where it is kept again when the wait ends early.
func (c *command) readToken() (string, error) {
	b, err := c.readFile(c.target)
	if err != nil {
		return "", usageError{err}
	}
	if len(b) > maxToken {
		return "", usageError{fmt.Errorf("%s holds no token: it is larger than one can be", c.target)}
	}
	if !c.keeper.named && c.target != "-" {
		c.keeper.file = c.target
	}
	return strings.TrimSpace(string(b)), nil
}
