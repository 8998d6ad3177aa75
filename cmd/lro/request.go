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

// maxToken is the maximum size of the resume tokens that package poller writes.
const maxToken = 64 << 10

// request returns the HTTP request that a verb sends first.
func (c *command) request(ctx context.Context, method string) (*http.Request, error) {
	body, err := c.body()
	if err != nil {
		return nil, usageError{err}
	}
	// Use a bytes.Reader, so that the transport can send the body again.
	req, err := http.NewRequestWithContext(ctx, method, c.target, bytes.NewReader(body))
	if err != nil {
		return nil, usageError{errors.New("the URL cannot be parsed")}
	}
	req.Header = http.Header(c.header).Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if len(body) > 0 && req.Header.Get("Content-Type") == "" {
		if !json.Valid(body) {
			return nil, usageError{errors.New("the body is not valid JSON; if that is intended, add --header 'Content-Type: …'")}
		}
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// body returns the request body: the value of --data or, if this value is an @ and the name of a
// file, the contents of that file.
func (c *command) body() ([]byte, error) {
	file, ok := strings.CutPrefix(c.data, "@")
	if !ok {
		return []byte(c.data), nil
	}
	return c.readFile(file)
}

// readFile reads a file, or the standard input if the name is "-".
func (c *command) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(name)
}

// readToken reads the resume token of a stored operation from c.target. If the wait stops early
// again, the new token replaces the one in the file.
func (c *command) readToken() (string, error) {
	b, err := c.readFile(c.target)
	if err != nil {
		return "", usageError{err}
	}
	if len(b) > maxToken {
		return "", usageError{fmt.Errorf("%s is too large for a resume token", c.target)}
	}
	if c.target != "-" {
		c.tokenFile.path = c.target
	}
	return strings.TrimSpace(string(b)), nil
}
