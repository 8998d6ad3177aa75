package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tokenVariable is the environment variable that has the bearer token.
const tokenVariable = "LRO_TOKEN"

// A credential is a Token of transport.Options, which keeps what it returns
// until shortly before that expires.
type credential = func(ctx context.Context) (value string, expires time.Time, err error)

// credential returns where the bearer token comes from; nil where the requests
// have none. It never comes from an argument, which every process on the machine
// can read.
func (c *command) credential() (credential, error) {
	fromEnv := lookup(c.env, tokenVariable)
	if c.tokenCommand == "" && fromEnv == "" {
		return nil, nil
	}
	for _, origin := range c.origins {
		if !private(origin) {
			return nil, usageError{fmt.Errorf("the bearer token would cross the network in the clear: %s is not https", origin)}
		}
	}
	if c.tokenCommand == "" {
		return func(context.Context) (string, time.Time, error) { return bearer(fromEnv), time.Time{}, nil }, nil
	}
	return func(ctx context.Context) (string, time.Time, error) { return c.askCommand(ctx) }, nil
}

// private reports whether nobody on the way can read what is sent to origin:
// because it is https, or this machine.
func private(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// askCommand runs the token command. Its standard output is never shown.
func (c *command) askCommand(ctx context.Context) (string, time.Time, error) {
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1], c.tokenCommand)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr, cmd.WaitDelay = c.env, &stderr, time.Second
	out, err := cmd.Output()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", time.Time{}, fmt.Errorf("--token-command: %w: %s", err, text(said))
	}
	return parseToken(out, time.Now())
}

// parseToken reads what a token command prints: the token itself, or the JSON of
// az account get-access-token, of ibmcloud iam oauth-tokens, or of an OAuth 2.0
// token endpoint (RFC 6749, section 5.1). A token of which it is not said when it
// expires is used until a service answers 401.
func parseToken(out []byte, now time.Time) (string, time.Time, error) {
	out = bytes.TrimSpace(out)
	if !bytes.HasPrefix(out, []byte("{")) {
		return checkToken(bearer(string(out)), time.Time{})
	}
	var doc struct {
		AccessToken string      `json:"accessToken"`  // az
		OAuth       string      `json:"access_token"` // RFC 6749
		IAM         string      `json:"iam_token"`    // ibmcloud
		ExpiresOn   json.Number `json:"expires_on"`   // az: seconds since 1970; its expiresOn has no zone
		Expiration  json.Number `json:"expiration"`   // IBM: the same
		ExpiresIn   json.Number `json:"expires_in"`   // RFC 6749
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		// The text of err could repeat a part of what was printed.
		return "", time.Time{}, errors.New("--token-command printed JSON that cannot be read")
	}
	var expires time.Time
	for _, at := range []json.Number{doc.ExpiresOn, doc.Expiration} {
		if s, err := strconv.ParseInt(at.String(), 10, 64); err == nil {
			expires = time.Unix(s, 0)
		}
	}
	if s, err := doc.ExpiresIn.Int64(); err == nil && expires.IsZero() {
		expires = now.Add(time.Duration(s) * time.Second)
	}
	return checkToken(bearer(doc.AccessToken+doc.OAuth+doc.IAM), expires)
}

// checkToken refuses what no header can hold: a command that prints more than
// the token.
func checkToken(token string, expires time.Time) (string, time.Time, error) {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", time.Time{}, errors.New("--token-command printed no token")
	}
	return token, expires, nil
}

// bearer returns the token alone, where the scheme stands before it.
func bearer(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 7 && strings.EqualFold(s[:7], "bearer ") {
		s = strings.TrimSpace(s[7:])
	}
	return s
}

// lookup returns a variable of an environment; the last one of a name counts.
func lookup(env []string, name string) (value string) {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}
