package flags

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

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// TokenVariable is the environment variable that holds the bearer token.
const TokenVariable = "LRO_TOKEN"

// Credential is the type of transport.Options.Token: a function that returns the bearer token.
type Credential = func(context.Context, transport.TokenRequest) (transport.Token, error)

// Credential returns a function that gets the bearer token. If --token-command is set, the function
// runs that command with the environment env. Otherwise, it returns the argument token, which the
// caller has read from TokenVariable. If there is neither a command nor a token, Credential returns
// nil. There is no flag for the token itself, because every process on the machine can read lro's
// arguments.
//
// Credential returns an error if the token would cross the network unencrypted to an allowed
// origin. The transport would refuse to send it there, but perhaps only after other requests.
func (f *Flags) Credential(token string, env []string) (Credential, error) {
	if f.tokenCommand == "" && token == "" {
		return nil, nil
	}
	for _, origin := range f.origins {
		if !private(origin) {
			return nil, fmt.Errorf("the bearer token would cross the network unencrypted, because %s is not https", origin)
		}
	}

	if f.tokenCommand == "" {
		return func(context.Context, transport.TokenRequest) (transport.Token, error) {
			return transport.Token{Value: bearer(token)}, nil
		}, nil
	}
	return func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
		return runTokenCommand(ctx, f.tokenCommand, env)
	}, nil
}

// private reports whether origin uses https or is on this machine, so that no other machine on the
// network can read a token sent there.
func private(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// runTokenCommand runs a command in a shell and returns the token that the command prints. Errors
// do not quote the standard output, because it contains the token.
func runTokenCommand(ctx context.Context, command string, env []string) (transport.Token, error) {
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1], command)
	var stderr bytes.Buffer
	cmd.Env = env
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err == nil {
		return parseToken(out, time.Now())
	}

	// Do not start the message with "--token-command: …", because lro would redact the rest as if
	// it were a token.
	err = fmt.Errorf("the command of --token-command failed with %w", err)
	if first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); first != "" {
		err = fmt.Errorf("%w: %s", err, lroerrors.AdditionalInfo{Type: first}) // AdditionalInfo.String redacts credentials
	}
	return transport.Token{}, err
}

// parseToken parses the output of a token command: the token itself, or the JSON from az account
// get-access-token, from ibmcloud iam oauth-tokens, or from an OAuth 2.0 token endpoint (RFC 6749,
// section 5.1).
func parseToken(out []byte, now time.Time) (transport.Token, error) {
	out = bytes.TrimSpace(out)
	if !bytes.HasPrefix(out, []byte("{")) {
		return checkToken(bearer(string(out)), time.Time{})
	}
	var doc struct {
		AccessToken string      `json:"accessToken"`  // az
		OAuth       string      `json:"access_token"` // RFC 6749
		IAM         string      `json:"iam_token"`    // ibmcloud
		ExpiresOn   json.Number `json:"expires_on"`   // az: seconds since 1970; az also prints expiresOn, but without a time zone
		Expiration  json.Number `json:"expiration"`   // ibmcloud: seconds since 1970
		ExpiresIn   json.Number `json:"expires_in"`   // RFC 6749: seconds from now
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		// Do not wrap err, because its text may contain part of the token.
		return transport.Token{}, errors.New("--token-command printed invalid JSON")
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

// checkToken rejects an empty token, and one with spaces or characters outside printable ASCII, for
// example because the command printed more than the token.
func checkToken(token string, expires time.Time) (transport.Token, error) {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return transport.Token{}, errors.New("--token-command printed no token")
	}
	return transport.Token{Value: token, Expires: expires}, nil
}

// bearer returns s without the "Bearer" scheme.
func bearer(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 7 && strings.EqualFold(s[:7], "bearer ") {
		s = strings.TrimSpace(s[7:])
	}
	return s
}
